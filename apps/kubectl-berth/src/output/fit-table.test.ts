import { expect, test } from 'vitest'
import { fitTable } from './fit-table.ts'

const columns = [
  { header: 'NODE', rank: 0 },
  { header: 'CAPACITY', rank: 2 },
  { header: 'FREE', rank: 0 },
  { header: 'USE', rank: 1 },
]
const rows = [['node-with-a-name', '4', '1', '[##..]']]

test.for([
  { width: 80, header: 'NODE               CAPACITY   FREE   USE' },
  { width: 43, header: 'NODE               CAPACITY   FREE   USE' },
  { width: 42, header: 'NODE               FREE   USE' },
  { width: 26, header: 'NODE               FREE' },
])('at $width columns the header is "$header"', ({ width, header }) => {
  expect(fitTable(columns, rows, width)[0]).toBe(header)
})

test('the width counts the longest line, not the header', () => {
  expect(fitTable(columns, rows, 43)[1]).toBe('node-with-a-name   4          1      [##..]')
})

const sentences = [
  { header: 'POD', rank: 0 },
  { header: 'NOW', rank: 1 },
  { header: 'WHY', rank: 0 },
]
const waiting = [
  ['default/web', 'node-1', 'one two three four five six seven'],
  ['shop/cart', 'node-2', 'short'],
]

test.for([
  {
    width: 43,
    lines: [
      'POD           NOW      WHY',
      'default/web   node-1   one two three four',
      '                       five six seven',
      'shop/cart     node-2   short',
    ],
  },
  {
    width: 32,
    lines: [
      'POD           WHY',
      'default/web   one two three four',
      '              five six seven',
      'shop/cart     short',
    ],
  },
  {
    width: 24,
    lines: ['POD           WHY', 'default/web', '  one two three four', '  five six seven', 'shop/cart     short'],
  },
])('continues a last cell that is a sentence on further lines, at $width columns', ({ width, lines }) => {
  expect(fitTable(sentences, waiting, width, { wrapsLast: true })).toEqual(lines)
})

test('a long word gets a line of its own rather than being longer than the terminal', () => {
  const holder = [['node-1', 'node-of-a-pod', 'default/extended-resource-demo (3)']]
  expect(fitTable(sentences, holder, 39, { wrapsLast: true })).toEqual([
    'POD      WHY',
    'node-1   default/extended-resource-demo',
    '         (3)',
  ])
  expect(fitTable(sentences, holder, 36, { wrapsLast: true })).toEqual([
    'POD      WHY',
    'node-1',
    '  default/extended-resource-demo (3)',
  ])
})

test('a sentence in a row with fewer cells does not widen the columns of the other rows', () => {
  const reasons = [
    ['node-1', 'dongle', 'a b'],
    ['', 'one two three four five six seven'],
  ]
  expect(fitTable(sentences, reasons, 30, { wrapsLast: true })).toEqual([
    'POD      NOW      WHY',
    'node-1   dongle   a b',
    '         one two three four',
    '         five six seven',
  ])
})

test('a name that is too long for its column is on a line above the other cells of its row', () => {
  const named = [
    ['node-1', '4', '1', '[##..]'],
    ['node-with-a-very-long-name', '4', '1', '[##..]'],
  ]
  expect(fitTable(columns, named, 26)).toEqual([
    'NODE     FREE',
    'node-1   1',
    'node-with-a-very-long-name',
    '         1',
  ])
})

test('rows whose cells do not fit beside each other continue on further lines, broken only after slashes', () => {
  const held = [['  default/training-run-with-a-long-name/main', 'node-with-a-very-long-name', 'gpu-0']]
  const heldColumns = ['  HELD BY', 'NODE', 'DEVICE'].map((header) => ({ header, rank: 0 }))
  expect(fitTable(heldColumns, held, 32)).toEqual([
    '  HELD BY   NODE   DEVICE',
    '  default/',
    '    training-run-with-a-long-name/',
    '    main',
    '    node-with-a-very-long-name',
    '    gpu-0',
  ])
})

test('a sentence follows below names that do not fit beside each other', () => {
  const held = [['default/training-run-with-a-long-name', 'node-with-a-very-long-name', 'it is deleted: no controller']]
  expect(fitTable(sentences, held, 36, { wrapsLast: true })).toEqual([
    'POD',
    '  WHY',
    'default/',
    '  training-run-with-a-long-name',
    '  it is deleted: no controller',
  ])
})
