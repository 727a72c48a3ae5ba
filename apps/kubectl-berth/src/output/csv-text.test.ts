import { expect, test } from 'vitest'
import { csvText } from './csv-text.ts'

test('writes a header and one line for each record', () => {
  expect(
    csvText({
      columns: ['node', 'free', 'fits'],
      rows: [
        ['node-1', 2n ** 60n, true],
        ['node-2', undefined, false],
      ],
    }),
  ).toBe('node,free,fits\nnode-1,1152921504606846976,true\nnode-2,,false\n')
})

test.for([
  { value: 'a,b', field: '"a,b"' },
  { value: 'say "no"', field: '"say ""no"""' },
  { value: 'two\nlines', field: '"two\nlines"' },
  { value: ' edge', field: '" edge"' },
  { value: 'a\u001B[2Jb\u202E', field: 'ab' },
])('quotes what needs quotes and leaves out control characters: $value', ({ value, field }) => {
  expect(csvText({ columns: [], rows: [[value]] })).toBe(`\n${field}\n`)
})
