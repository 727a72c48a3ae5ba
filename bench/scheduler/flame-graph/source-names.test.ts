import { expect, test } from 'vitest'
import { sourceNames } from './source-names.ts'

// One segment a line: column 0 of lines 0, 1 and 2 belongs to line 0 of the sources 0, 1 and 2.
const nameOf = sourceNames('main.js', {
  file: 'main.js',
  version: 3,
  sources: [
    '../../../packages/fit-engine/src/decide/score-pass.ts',
    '../../../node_modules/.pnpm/prom-client@15.1.3/node_modules/prom-client/lib/histogram.js',
    '../src/main.ts',
  ],
  sourcesContent: [],
  names: [],
  mappings: 'AAAA;ACAA;ACAA',
  sourceRoot: '',
})
const at = (functionName: string, url: string, lineNumber = 0): string | undefined =>
  nameOf({ functionName, url, lineNumber, columnNumber: 0 })

test.for([
  {
    it: 'a function of a package',
    name: at('addScores', 'file:///x/main.js'),
    expected: 'addScores fit-engine/src/decide/score-pass',
  },
  { it: 'a function of a dependency', name: at('observe', 'file:///x/main.js', 1), expected: 'observe prom-client' },
  { it: 'a function of the app', name: at('', 'file:///x/main.js', 2), expected: '(anonymous) src/main' },
  { it: 'a function of Node', name: at('emit', 'node:events'), expected: 'emit node:events' },
  { it: 'the collector of garbage', name: at('(garbage collector)', ''), expected: '(garbage collector)' },
  { it: 'a function that only passes a call on', name: at('runMicrotasks', ''), expected: undefined },
])('sourceNames names $it', ({ name, expected }) => expect(name).toBe(expected))
