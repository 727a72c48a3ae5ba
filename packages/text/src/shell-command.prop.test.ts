import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellCommand } from './shell-command.ts'

const word = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.string({ unit: fc.constantFrom(...Array.from('\'"\\$`;&|<>(){}[]*?!#~= \n\t-a')) }),
  fc.constantFrom('web -n default; touch X; #', '$(touch X)', '`touch X`', "';touch X;'", '-n', '~', '*', ''),
)

test('a real shell passes every word on unchanged', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
      const script = shellCommand('printf', '%s\\0', ...words)
      const passed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env: { PATH: '/nowhere' } })
      expect(passed.split('\0').slice(0, -1)).toEqual(words)
    }),
    { numRuns: 50 },
  )
})
