import { describe, expect, test } from 'vitest'
import { contentTag, type ImageInput } from './content-tag.ts'

const inputs: readonly ImageInput[] = [
  { name: 'Dockerfile', bytes: 'FROM scratch' },
  { name: 'main.js', bytes: Buffer.from([1, 2]) },
]

describe('contentTag', () => {
  test('returns a tag that a registry accepts', () => {
    expect(contentTag('berth', inputs)).toMatch(/^berth:[0-9a-f]{12}$/)
  })

  test('does not depend on the order of the inputs', () => {
    expect(contentTag('berth', inputs.toReversed())).toBe(contentTag('berth', inputs))
  })

  test.for([
    ['a different byte', [inputs[0], { name: 'main.js', bytes: Buffer.from([1, 3]) }]],
    ['a different name', [inputs[0], { name: 'main.cjs', bytes: Buffer.from([1, 2]) }]],
    ['a missing file', [inputs[0]]],
    [
      'a byte that moves to the next file',
      [
        { name: 'Dockerfile', bytes: 'FROM scratc' },
        { name: 'main.js', bytes: 'h\u0001\u0002' },
      ],
    ],
  ] as const)('changes with %s', ([, other]) => {
    expect(contentTag('berth', other as readonly ImageInput[])).not.toBe(contentTag('berth', inputs))
  })
})
