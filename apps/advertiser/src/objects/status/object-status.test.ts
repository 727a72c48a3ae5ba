import { expect, test } from 'vitest'
import { MAX_MESSAGE_LENGTH } from '../definition/status-schema.ts'
import { objectStatus } from './object-status.ts'

test('cuts a message between two characters, as the API server stores it', () => {
  const message = `${'x'.repeat(MAX_MESSAGE_LENGTH - 2)}😀😀`
  const read = { kind: 'refused', reason: 'Invalid', message } as const
  const { conditions = [] } = objectStatus({ metadata: {} }, { read, selected: [], remaining: [], missing: [] }, 0)
  const texts = conditions.map((condition) => condition.message)
  expect(texts.map((text) => [text.length, text.isWellFormed()])).toEqual([
    [MAX_MESSAGE_LENGTH, true],
    [MAX_MESSAGE_LENGTH, true],
  ])
})
