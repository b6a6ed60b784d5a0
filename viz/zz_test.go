package viz
import ("testing";"os";"fmt";"math/rand";"strings";"time")
func TestZZ(t *testing.T){
 for _,n:=range []int{8,16,40} {
 r:=rand.New(rand.NewSource(1)); s:=scenario{title:"big"}; k:=0
 ws:=map[string][]string{}
 for th:=0;th<6;th++{ var in []string; for i:=0;i<n;i++{ l:=string(rune('x'+r.Intn(3))); if r.Intn(2)==0 { in=append(in,fmt.Sprintf("W %s %d",l,k)); ws[l]=append(ws[l],letterName(k)) } else { in=append(in,"R "+l); if len(ws[l])>0 && r.Intn(3)>0 { s.rf+=ws[l][r.Intn(len(ws[l]))]+" "+letterName(k)+", " } } ; k++ }
 s.code=append(s.code,strings.Join(in,", ")) }
 t0:=time.Now()
 g:=s.graph(t); fmt.Println("build",time.Since(t0)); t0=time.Now()
 f,_:=os.Create(fmt.Sprintf("/tmp/viz-look/big%d.svg",n)); g.SVG(f,Style{}); f.Close()
 fmt.Println(n,len(g.lines),time.Since(t0)) }
}
