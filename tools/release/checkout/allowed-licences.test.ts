import { expect, test } from 'vitest'
import { refusedLicences } from './allowed-licences.ts'

test.for([
  { licence: 'MIT', refused: false },
  { licence: '(GPL-3.0 OR MIT)', refused: false },
  { licence: '(Apache-2.0 AND BSD-3-Clause)', refused: false },
  { licence: '(MIT AND CC-BY-3.0)', refused: true },
  { licence: 'GPL-3.0', refused: true },
  { licence: '', refused: true },
])('a package with the licence "$licence" is refused: $refused', ({ licence, refused }) => {
  const bundled = { name: 'x', version: '1.0.0', licence, integrity: '', folder: '' }
  expect(refusedLicences([bundled])).toEqual(refused ? [`x@1.0.0 (${licence || 'none'})`] : [])
})
