" Records of quipu: tags, comments, clocks, annotations, results.
if exists("b:current_syntax")
  finish
endif

syntax match quipuSkipped /^%.*$/
syntax match quipuTag /^\[\s*\k\+/hs=s+1 nextgroup=quipuValue skipwhite
syntax region quipuValue start=/"/ skip=/\\./ end=/"/ end=/$/ contained
syntax region quipuComment start=/{/ end=/}/ contains=quipuCommand
syntax match quipuCommand /\[%[^\]]*\]/ contained
syntax match quipuRest /\(^\|\s\)\@1<=;.*$/
syntax match quipuAnnotation /\$\d\+\|[!?]\{1,2}/
syntax match quipuNumber /\(^\|\s\)\@1<=\d\+\.\+/
syntax match quipuResult /\(^\|\s\)\@1<=\(1-0\|0-1\|1\/2-1\/2\|\*\)\(\s\|$\)\@=/

highlight default link quipuSkipped Comment
highlight default link quipuTag Keyword
highlight default link quipuValue String
highlight default link quipuComment Comment
highlight default link quipuCommand Number
highlight default link quipuRest Comment
highlight default link quipuAnnotation Special
highlight default link quipuNumber Number
highlight default link quipuResult Statement

let b:current_syntax = "quipu"
