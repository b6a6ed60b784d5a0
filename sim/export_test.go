package sim

// LearningQuery is what the learning engine is asked about a test.
var LearningQuery = (*Test).learningQuery
