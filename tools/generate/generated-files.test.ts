import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { readCatalogues } from './catalogues.ts'
import type { Catalogue } from './catalogues.ts'
import { differingFiles } from './differing-files.ts'
import { errorCodes, usedErrorCodes } from './error-codes.ts'
import { generatedFiles } from './generated-files.ts'
import { markdownTable } from './markdown-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let catalogues: readonly Catalogue[] = []
let files: ReadonlyMap<string, string> = new Map()
beforeAll(async () => {
  catalogues = await readCatalogues(root)
  files = await generatedFiles(root)
}, 60_000)

describe('generated files', () => {
  test('say what the code says (else run: node -C @berth/source tools/generate.ts)', () => {
    expect(files.size).toBe(7)
    expect(differingFiles(root, files)).toEqual([])
  })

  test('are named when they differ or are missing', () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-generated-'))
    writeFileSync(join(dir, 'same.md'), 'a')
    writeFileSync(join(dir, 'other.md'), 'b')
    const wanted = new Map([
      ['same.md', 'a'],
      ['other.md', 'a'],
      ['none.md', 'a'],
    ])
    expect(differingFiles(dir, wanted)).toEqual(['other.md', 'none.md'])
    rmSync(dir, { recursive: true })
  })
})

describe('catalogues', () => {
  test('there is one of every app and of the packages that throw', () => {
    const rooms = catalogues.map(({ room }) => room)
    expect(rooms).toEqual(
      expect.arrayContaining(['apps/advertiser', 'apps/device-plugin', 'apps/extender', 'apps/scheduler']),
    )
    expect(rooms).toEqual(expect.arrayContaining(['packages/plugin-api', 'packages/process', 'packages/resources']))
  })

  test('every error has a code of the right shape, a meaning and an action, and no code is there twice', () => {
    const errors = catalogues.flatMap((catalogue) => catalogue.errors)
    expect(errors.filter(({ code }) => !/^BERTH_[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(code))).toEqual([])
    expect(errors.filter(({ meaning, action }) => !meaning.endsWith('.') || !action.endsWith('.'))).toEqual([])
    const codes = errors.map(({ code }) => code)
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  })

  test('every code that the sources use is in a catalogue, and every code in a catalogue is used', () => {
    const used = usedErrorCodes(root)
    const listed = new Set(catalogues.flatMap(({ errors }) => errors.map(({ code }) => code)))
    expect([...used].filter(([code]) => !listed.has(code))).toEqual([])
    expect([...listed].filter((code) => !used.has(code))).toEqual([])
  })

  test('every metric is named after its app, and no name is there twice', () => {
    const wrong = catalogues.flatMap(({ room, metrics }) =>
      metrics.filter(({ name }) => !name.startsWith(`berth_${room.replace('apps/', '').replaceAll('-', '_')}_`)),
    )
    expect(wrong).toEqual([])
    const names = catalogues.flatMap(({ metrics }) => metrics.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
  })

  test('every configuration has an example that names its program', () => {
    for (const { config } of catalogues) {
      for (const { command } of config?.examples ?? []) expect(command).toContain(config?.name)
    }
  })
})

describe('errorCodes', () => {
  test('does not count what a catalogue only describes', () => {
    const text = `throw new E('x', { code: 'BERTH_A_ONE' })
export const someErrors: readonly ErrorDescription[] = [
  { code: 'BERTH_A_TWO', meaning: 'M.', action: 'A.' },
]
const prefix = 'BERTH_A_'
const code = 'BERTH_A_THREE'
`
    expect(errorCodes(text)).toEqual(['BERTH_A_ONE', 'BERTH_A_THREE'])
  })
})

test('markdownTable keeps a cell in its cell', () => {
  expect(markdownTable(['a', 'b'], [['x | y', 'two\n  lines']])).toBe('| a | b |\n|---|---|\n| x \\| y | two lines |')
})
