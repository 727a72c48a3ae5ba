import { describe, expect, test } from 'vitest'
import { parseStructuralSchema } from '../structural/structural-schema.ts'
import { CelError, checkExpression, compileExpression } from './expression.ts'
import { jsonToCel, valueToCel } from './to-cel.ts'

const evaluate = (text: string, self: unknown = {}): unknown =>
  compileExpression(text, ['self']).evaluate({ self: jsonToCel(self) })

describe('expressions', () => {
  test.for([
    ['self.a + 1 == 4', { a: 3 }],
    ['self.a / 2 == 1', { a: 3 }],
    ['self.r > 1.0', { r: 1.5 }],
    ['has(self.a) && !has(self.b)', { a: 1 }],
    ["self.?b.orValue('none') == 'none'", {}],
    ["self.list.exists_one(x, x == 'a')", { list: ['a', 'b'] }],
    ['self.list.isSorted() && self.list.sum() == 6', { list: [1, 2, 3] }],
    ['self.list.max() == 3 && self.list.min() == 1', { list: [1, 3, 2] }],
    ["self.list.indexOf('b') == 1", { list: ['a', 'b'] }],
    ["self.t.find('[0-9]+') == '12'", { t: 'a12b3' }],
    ["self.t.findAll('[0-9]+').size() == 2", { t: 'a12b3' }],
    ["self.t.replace('a', 'b') == 'bbb'", { t: 'aba' }],
    ["isURL('https://example.com')", {}],
    ["quantity('1Gi').isGreaterThan(quantity('1000Mi'))", {}],
    ["quantity('500m').add(quantity('500m')).asInteger() == 1", {}],
    ["!isQuantity('x')", {}],
    ["'k' in self.m && self.m['k'] == 'v'", { m: { k: 'v' } }],
  ] as const)('%s is true', ([text, self]) => {
    expect(evaluate(text, self)).toBe(true)
  })

  test.for([
    ['a missing key', 'self.b == 1', 'no such key: b'],
    ['a comparison of different types', "self.a > 'x'", 'no such overload'],
    ['a division by zero', '1 / (self.a - 1) == 1', 'division by zero'],
    ['an invalid quantity', "quantity('x').sign() == 1", 'quantities must match'],
    ['the minimum of an empty list', '[].min() == 1', 'min called on empty list'],
    ['a function of texts on a sum of numbers', "self.list.sum().trim() == ''", 'no such overload'],
    ['find with an invalid pattern', "'a'.find('(') == ''", 'Illegal regex: error parsing regexp: missing closing )'],
    ['findAll with an invalid pattern', "'a'.findAll('[').size() == 0", 'Illegal regex: error parsing regexp: missing'],
  ] as const)('evaluating %s throws', ([, text, why]) => {
    expect(() => evaluate(text, { a: 1, list: [1, 2] })).toThrow(why)
  })

  test.for(['self.a +', 'other == 1', "'a' + 1", 'self.unknownFunction()'])('%s does not compile', (text) => {
    expect(() => compileExpression(text, ['self'])).toThrow(CelError)
  })

  test('an expression knows which variables it references', () => {
    const expression = compileExpression('self.oldSelf == 1', ['self', 'oldSelf'])
    expect([expression.references('self'), expression.references('oldSelf')]).toEqual([true, false])
  })
})

test('valueToCel converts values to the types of their schema and escapes names', () => {
  const schema = parseStructuralSchema({
    type: 'object',
    properties: {
      ratio: { type: 'number' },
      when: { type: 'string', format: 'date-time' },
      'with-dash': { type: 'integer' },
      if: { type: 'string' },
    },
  })
  const value = { ratio: 1, when: '2026-01-01T00:00:00Z', 'with-dash': 2, if: 'x' }
  expect(valueToCel(value, schema)).toEqual({
    ratio: 1,
    when: new Date('2026-01-01T00:00:00Z'),
    with__dash__dash: 2n,
    __if__: 'x',
  })
})

describe('expressions over a schema', () => {
  const schema = parseStructuralSchema({
    type: 'object',
    properties: {
      a: { type: 'integer' },
      t: { type: 'string' },
      when: { type: 'string', format: 'date-time' },
      one: { type: 'object', properties: { n: { type: 'integer' } } },
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      port: { 'x-kubernetes-int-or-string': true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  })

  test.for([
    'self == oldSelf',
    'self.one == oldSelf.one && self.list != oldSelf.list',
    "has(self.one.n) && self.?t.orValue('') == 'x'",
    'self.list.all(each, each.n > self.a) || self.list.exists(each, each.n == self.one.n)',
    "self.map.all(key, self.map[key].startsWith('a'))",
    "self.when > timestamp('2026-01-01T00:00:00Z')",
    "self.port == 'http' || self.port == 80",
    'self.free.anything == 1',
    'self.list.map(each, each.n).sum() < 3',
    "self.metadata.name == 'x' && self.kind == 'X'",
  ])('%s passes the type check', (text) => {
    expect(() => checkExpression(text, schema, true, 'bool')).not.toThrow()
  })

  test.for([
    ['self.none == 1', ":1:5: undefined field 'none'"],
    ['self.list.all(each, each.none == 1)', "undefined field 'none'"],
    ['self.one.none', "undefined field 'none'"],
    ["self.a == 'x'", ":1:8: found no matching overload for '_==_' applied to '(int, string)'"],
    ['self.a', 'cel expression must evaluate to a bool'],
    ['self.metadata.labels.size() > 0', "undefined field 'labels'"],
  ] as const)('%s does not pass the type check', ([text, why]) => {
    expect(() => checkExpression(text, schema, true, 'bool')).toThrow(why)
  })

  test('a messageExpression must return a string', () => {
    expect(() => checkExpression('self.t', schema, false, 'string')).not.toThrow()
    expect(() => checkExpression('self.a', schema, false, 'string')).toThrow(
      'messageExpression must evaluate to a string',
    )
  })
})
