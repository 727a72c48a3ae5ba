import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { parseCallBody } from './call-body.ts'
import { createNameReader } from './name-reader.ts'

/** Returns the value of a body as `JSON.parse` gives it; undefined when the body is not JSON. */
function parseWhole(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Returns the value of a body, with the names that were read apart in their place. */
function parseApart(bytes: Buffer, reader = createNameReader(1)): unknown {
  const { value, names } = parseCallBody(bytes, reader)
  return names === undefined ? value : { ...(value as object), NodeNames: names }
}

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'node-1', 'ip-10-0-0-1.example.com', '', ' ', '__proto__') },
  fc.constantFrom('"', '\\', '\n', 'ü', '😀', '\ud800', '\u007f', '"NodeNames":["a"]}', ']}', 'n'.repeat(254)),
  fc.string({ unit: 'binary' }),
)
const names = fc.oneof(
  { weight: 4, arbitrary: fc.uniqueArray(name, { maxLength: 6 }) },
  fc.array(name, { maxLength: 6 }),
  fc.array(fc.oneof(name, fc.integer(), fc.constant(null)), { maxLength: 3 }),
)
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Pod', 'Nodes', 'NodeNames') },
  fc.constantFrom('nodenames', 'NODENAMES', '"NodeNames', '\\', '\\"NodeNames', '__proto__', 'NodeNames":['),
  fc.string(),
)
const space = fc.constantFrom('', '', '', '', '', '', ' ', '\n', '\t', '\ufeff', ',')
/** A string of JSON, of which some characters are escaped although they need not be. */
const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.constantFrom('', '', '', 's', 'N'))
    .map(([value, escaped]) =>
      escaped === ''
        ? JSON.stringify(value)
        : JSON.stringify(value).replaceAll(escaped, `\\u00${escaped.codePointAt(0)?.toString(16)}`),
    )

/** Texts of JSON with NodeNames as keys, in strings and at any depth. */
const { json } = fc.letrec<{ json: string; object: string }>((tie) => ({
  object: fc
    .array(
      fc.tuple(
        quoted(key),
        space,
        fc.oneof(
          names.map((list) => JSON.stringify(list)),
          tie('json'),
        ),
      ),
      {
        maxLength: 4,
      },
    )
    .map((fields) => `{${fields.map(([field, gap, value]) => `${field}:${gap}${value}`).join(',')}}`),
  json: fc.oneof(
    { depthSize: 'small' },
    tie('object'),
    names.map((list) => JSON.stringify(list)),
    quoted(name),
    fc.constantFrom('null', 'true', '0', '-1e5', '1e999', '01', 'NaN', ''),
    fc.array(tie('json'), { maxLength: 2 }).map((values) => `[${values.join(',')}]`),
  ),
}))
const body = fc
  .tuple(fc.array(fc.tuple(quoted(key), json), { maxLength: 3 }), names, space, space)
  .map(([fields, list, before, after]) => {
    const rest = fields.map(([field, value]) => `${field}:${value},`).join('')
    return Buffer.from(`${before}{${rest}"NodeNames":${JSON.stringify(list)}}${after}`)
  })
const token = fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '"NodeNames":[', '"a"', '\u0000', 'null', ' ')
const damage = fc.record({
  at: fc.nat({ max: 200 }),
  removed: fc.nat({ max: 3 }),
  added: fc.oneof(
    token.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
  ),
})
const damagedBody = fc.tuple(body, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([bytes, damages]) =>
  damages.reduce((damaged, { at, removed, added }) => {
    const start = at % (damaged.length + 1)
    return Buffer.concat([damaged.subarray(0, start), added, damaged.subarray(start + removed)])
  }, bytes),
)

test('a body has the value that JSON.parse gives it, wherever it has NodeNames', () => {
  const texts = fc.oneof(
    body,
    json.map((text) => Buffer.from(text)),
  )
  fc.assert(fc.property(texts, (bytes) => assert.deepEqual(parseApart(bytes), parseWhole(bytes))))
})

test('a damaged body has the value that JSON.parse gives it, or none', () => {
  fc.assert(fc.property(damagedBody, (bytes) => assert.deepEqual(parseApart(bytes), parseWhole(bytes))))
})

test('a body has the same value whatever the reader has read before', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.oneof(body, damagedBody), { maxLength: 12 }), (seed, bodies) => {
      const reader = createNameReader(seed)
      for (const bytes of bodies) assert.deepEqual(parseApart(bytes, reader), parseWhole(bytes))
    }),
  )
})
