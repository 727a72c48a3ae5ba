import { expect, test } from 'vitest'
import { commandWords } from './command-words.ts'

test.for([
  { argv: ['node', '/usr/bin/kubectl-berth', 'explain', 'pod'], words: ['explain', 'pod'] },
  { argv: ['node', '/usr/bin/kubectl-brief', '-A'], words: ['brief', '-A'] },
  { argv: ['node', '/usr/bin/kubectl-brief.js'], words: ['brief'] },
  { argv: ['node', 'kubectl-brief.exe', '-w'], words: ['brief', '-w'] },
  { argv: ['node', '/usr/bin/kubectl_complete-berth', 'explain', ''], words: ['__complete', 'explain', ''] },
  { argv: ['node', 'dist/main.js'], words: [] },
])('$argv are the words $words', ({ argv, words }) => expect(commandWords(argv)).toEqual(words))
