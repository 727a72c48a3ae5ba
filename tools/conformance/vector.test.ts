import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { VectorFileError, readVectors } from './read-vectors.ts'
import { parseExactJson } from './vector.ts'

describe('parseExactJson', () => {
  test.for([
    { it: 'keeps integers beyond 2^53', json: '{"n":9223372036854775807}', value: { n: 9223372036854775807n } },
    { it: 'reads small numbers as numbers', json: '{"n":[1,2.5,-3]}', value: { n: [1, 2.5, -3] } },
    { it: 'keeps the text of a quantity', json: '{"requests":{"cpu":1e3}}', value: { requests: { cpu: '1e3' } } },
    {
      it: 'reads other non-canonical numbers as numbers',
      json: '{"weight":1e3,"list":[1.0]}',
      value: { weight: 1000, list: [1] },
    },
    { it: 'reads a top-level non-canonical number', json: '1e3', value: 1000 },
  ])('$it', ({ json, value }) => {
    expect(parseExactJson(json)).toEqual(value)
  })
})

describe('readVectors', () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-vectors-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const file = (name: string, content: string | Buffer): string => {
    const path = join(dir, name)
    writeFileSync(path, content)
    return path
  }
  const line = '{"id":"a","kind":"quantity","input":{"s":"1"},"expected":{"ok":true}}'

  test('reads plain and gzipped files, whatever their names are', () => {
    const plain = readVectors(file('plain.jsonl', `${line}\n\n${line}\n`))
    expect(plain).toHaveLength(2)
    expect(readVectors(file('zipped.jsonl', gzipSync(`${line}\n${line}`)))).toEqual(plain)
  })

  test.for([
    { it: 'refuses an empty file', content: '\n', reason: 'the file is empty' },
    { it: 'names a line that is not JSON', content: `${line}\nnot json\n`, reason: 'line 2 is not a JSON object' },
    { it: 'names a line without id', content: '{"kind":"quantity","input":1,"expected":1}', reason: 'line 1' },
    { it: 'names a line that is not an object', content: '5', reason: 'line 1' },
    { it: 'refuses a truncated archive', content: gzipSync(line).subarray(0, 20), reason: 'unexpected end of file' },
  ])('$it', ({ content, reason }) => {
    const path = file('bad.jsonl', content)
    expect(() => readVectors(path)).toThrow(VectorFileError)
    expect(() => readVectors(path)).toThrow(reason)
  })

  test('names a file that does not exist', () => {
    expect(() => readVectors(join(dir, 'absent'))).toThrow(/absent.*ENOENT/)
  })
})
