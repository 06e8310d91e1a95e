" Assembly of AMD GPUs, as compilers write it.
if exists('b:current_syntax')
  finish
endif

syntax case match

" What begins a statement; of two that fit, the later one counts.
syntax match amdgpuVector      /\%(^\s*\|::\s*\)\@<=v_\w\+/
syntax match amdgpuScalar      /\%(^\s*\|::\s*\)\@<=s_\w\+/
syntax match amdgpuMemory      /\%(^\s*\|::\s*\)\@<=\%(\%(global\|flat\|scratch\|t\=buffer\|image\|ds\|tensor\|cluster\)_\|s_\%(buffer_\|scratch_\)\=\%(load\|store\|atomic\)\|exp\>\)\w*/
syntax match amdgpuMatrix      /\%(^\s*\|::\s*\)\@<=v_\%(mfma\|smfmac\|wmma\|swmmac\)\w*/
syntax match amdgpuWait        /\%(^\s*\|::\s*\)\@<=s_\%(wait\|nop\|sleep\|delay\|clause\)\w*/
syntax match amdgpuBranch      /\%(^\s*\|::\s*\)\@<=s_\%(c\=branch\|call\|setpc\|swappc\|getpc\|endpgm\|barrier\)\w*/

syntax match amdgpuRegister    /\<[vas]\%(\d\+\%(\.[lh]\)\=\>\|\[\s*\d\+\%(\s*:\s*\d\+\)\=\s*\]\)/
syntax match amdgpuRegister    /\<ttmp\%(\d\+\>\|\[\s*\d\+\%(\s*:\s*\d\+\)\=\s*\]\)/
syntax match amdgpuSpecial     /\<\%(\%(vcc\|exec\|flat_scratch\|xnack_mask\|tma\|tba\)\%(_lo\|_hi\)\=\|m0\|scc\|vccz\|execz\|null\|src_\w\+\)\>/
syntax match amdgpuModifier    /\<\h\w*\ze[:(]/
syntax match amdgpuNumber      /\%(\w\|\.\)\@1<!-\=\%(0[xX]\x\+\|\d\+\%(\.\d\+\)\=\%([eE][-+]\=\d\+\)\=\)\>/
syntax match amdgpuReference   /\.L[[:alnum:]_$.]\+/
syntax match amdgpuDirective   /^\s*\.\h[[:alnum:]_.]*/
syntax match amdgpuLabel       /^\s*\%(\.L[[:alnum:]_$.]*\|\d\+\)\ze:/
syntax match amdgpuFunction    /^\%(\h\|\$\)[[:alnum:]_$.@]*\ze:/
syntax region amdgpuString     start=/"/ skip=/\\./ end=/"/ oneline
syntax match amdgpuComment     /\%(;\|\/\/\).*$/
syntax region amdgpuComment    start=/\/\*/ end=/\*\//

highlight default link amdgpuVector    Function
highlight default link amdgpuScalar    Identifier
highlight default link amdgpuMemory    Statement
highlight default link amdgpuMatrix    Special
highlight default link amdgpuWait      Comment
highlight default link amdgpuBranch    Conditional
highlight default link amdgpuDirective PreProc
highlight default link amdgpuFunction  Label
highlight default link amdgpuLabel     Label
highlight default link amdgpuReference Label
highlight default link amdgpuRegister  Type
highlight default link amdgpuSpecial   Constant
highlight default link amdgpuModifier  Keyword
highlight default link amdgpuNumber    Number
highlight default link amdgpuString    String
highlight default link amdgpuComment   Comment

let b:current_syntax = 'amdgpu'
