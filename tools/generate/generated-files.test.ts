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
  test('are up to date (otherwise run: node -C @berth/source tools/generate.ts)', () => {
    expect(files.size).toBe(16)
    expect(differingFiles(root, files)).toEqual([])
  })

  test('are listed when they differ or are missing', () => {
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
  test('exist for every app and for the packages that throw', () => {
    const paths = catalogues.map(({ packagePath }) => packagePath)
    expect(paths).toEqual(
      expect.arrayContaining(['apps/advertiser', 'apps/device-plugin', 'apps/extender', 'apps/scheduler']),
    )
    expect(paths).toEqual(expect.arrayContaining(['packages/plugin-api', 'packages/process', 'packages/resources']))
  })

  test('every error has a valid, unique code, a meaning and an action', () => {
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

  test('every metric has a unique name that starts with its app, except those of kube-scheduler', () => {
    const wrong = catalogues.flatMap(({ packagePath, metrics }) => {
      const prefixes = [`berth_${packagePath.replace('apps/', '').replaceAll('-', '_')}_`]
      if (packagePath === 'apps/scheduler') prefixes.push('scheduler_')
      return metrics.filter(({ name }) => !prefixes.some((prefix) => name.startsWith(prefix)))
    })
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
  test('ignores codes that only a catalogue describes', () => {
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

test('markdownTable escapes pipes and line breaks in cells', () => {
  expect(markdownTable(['a', 'b'], [['x | y', 'two\n  lines']])).toBe('| a | b |\n|---|---|\n| x \\| y | two lines |')
})
