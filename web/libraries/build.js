// Makes ../app/lib/vendor.js and ../app/lib/LICENSES.txt. The same sources give the same bytes.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const lib = process.argv[2] ?? '../app/lib';

const { metafile } = await build({
  entryPoints: ['entry.js'],
  outfile: `${lib}/vendor.js`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none', // LICENSES.txt has them
  metafile: true,
});

const packages = new Set(
  Object.keys(metafile.inputs).map(file => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean),
);
writeFileSync(`${lib}/LICENSES.txt`, licences([...packages].sort()));

/**
 * The packages with their licences. A licence text that several packages share appears once, after
 * their names.
 */
function licences(names) {
  const holders = new Map();
  for (const { title, owners, words } of names.map(read)) {
    holders.set(words, [...(holders.get(words) ?? []), `${title}\n  ${owners}`]);
  }
  const sections = [...holders].map(([words, list]) => `${list.join('\n')}\n\n${words}\n`);
  return `vendor.js is made of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function read(name) {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find(file => /^licen[cs]e/i.test(file));
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`));
  const text = readFileSync(`${folder}/${file}`, 'utf8').replace(/\s+/g, ' ').trim();
  const mit = /^(?:The MIT License(?: \(MIT\))? |MIT License )?(Copyright .*?) (Permission is hereby .*)$/;
  const [, owners, words] = text.match(mit) ?? [null, '', text];
  return { title: `${name} ${version} (${license})`, owners, words: wrapped(words) };
}

function wrapped(words) {
  return words.replace(/(.{1,99})(?: |$)/g, '$1\n').trim();
}
