import { describe, expect, test } from 'vitest'
import { columnsOf } from './terminal.ts'

describe('columnsOf', () => {
  test.for([
    { stream: { isTTY: true, columns: 120 }, columns: 120 },
    { stream: { isTTY: true, columns: 0 }, columns: 80 },
    { stream: { isTTY: true }, columns: 80 },
    { stream: { columns: 120 }, columns: 80 },
    { stream: { isTTY: true, columns: 12 }, columns: 40 },
  ])('of $stream are $columns', ({ stream, columns }) => expect(columnsOf(stream)).toBe(columns))
})
