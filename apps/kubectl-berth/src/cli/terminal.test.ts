import { describe, expect, test } from 'vitest'
import { columnsOf, supportsColor } from './terminal.ts'

describe('columnsOf', () => {
  test.for([
    { stream: { isTTY: true, columns: 120 }, env: {}, columns: 120, tableColumns: 120 },
    { stream: { isTTY: true, columns: 120 }, env: { COLUMNS: '60' }, columns: 120, tableColumns: 120 },
    { stream: { isTTY: true, columns: 0 }, env: {}, columns: 80, tableColumns: 80 },
    { stream: { isTTY: true }, env: {}, columns: 80, tableColumns: 80 },
    { stream: { isTTY: true, columns: 12 }, env: {}, columns: 40, tableColumns: 40 },
    { stream: { columns: 120 }, env: {}, columns: 80, tableColumns: Infinity },
    { stream: {}, env: { COLUMNS: '60' }, columns: 60, tableColumns: 60 },
    { stream: {}, env: { COLUMNS: '6' }, columns: 40, tableColumns: 40 },
    { stream: {}, env: { COLUMNS: 'many' }, columns: 80, tableColumns: Infinity },
    { stream: {}, env: { COLUMNS: '0' }, columns: 80, tableColumns: Infinity },
  ])('of $stream with $env wrap text at $columns', ({ stream, env, columns, tableColumns }) =>
    expect(columnsOf(stream, env)).toEqual({ columns, tableColumns }),
  )
})

describe('supportsColor', () => {
  test.for([
    { stream: { isTTY: true }, env: {}, hasColor: true },
    { stream: { isTTY: true }, env: { TERM: 'xterm-256color' }, hasColor: true },
    { stream: { isTTY: true }, env: { NO_COLOR: '1' }, hasColor: false },
    { stream: { isTTY: true }, env: { NO_COLOR: '0' }, hasColor: false },
    { stream: { isTTY: true }, env: { NO_COLOR: '' }, hasColor: true },
    { stream: { isTTY: true }, env: { TERM: 'dumb' }, hasColor: false },
    { stream: {}, env: {}, hasColor: false },
    { stream: {}, env: { TERM: 'xterm-256color' }, hasColor: false },
  ])('of $stream with $env: $hasColor', ({ stream, env, hasColor }) =>
    expect(supportsColor(stream, env)).toBe(hasColor),
  )
})
