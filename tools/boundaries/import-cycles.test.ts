import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importCycles } from './import-cycles.ts'

const graph = (imports: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(imports))

describe('importCycles', () => {
  test('accepts a hierarchy', () => {
    const imports = { 'src/main.ts': ['src/a/x.ts', 'src/errors.ts'], 'src/a/x.ts': ['src/a/y.ts', 'src/errors.ts'] }
    expect(importCycles(graph(imports))).toEqual([])
  })

  test('finds a cycle between two files', () => {
    const imports = { 'src/a/x.ts': ['src/a/y.ts'], 'src/a/y.ts': ['src/a/x.ts'] }
    expect(importCycles(graph(imports))).toEqual([
      {
        folder: 'src/a',
        members: ['x.ts', 'y.ts'],
        imports: ['src/a/x.ts -> src/a/y.ts', 'src/a/y.ts -> src/a/x.ts'],
      },
    ])
  })

  test('finds a cycle between folders whose files form none', () => {
    const imports = { 'src/a/x.ts': ['src/b/y.ts'], 'src/b/z.ts': ['src/a/w.ts'] }
    expect(importCycles(graph(imports)).map(({ folder, members }) => [folder, members])).toEqual([['src', ['a', 'b']]])
  })

  test('finds an upward import of a file that depends on the importing folder', () => {
    const imports = { 'src/index.ts': ['src/a/x.ts'], 'src/a/y.ts': ['src/index.ts'] }
    expect(importCycles(graph(imports)).map(({ members }) => members)).toEqual([['index.ts', 'a']])
  })

  test('finds a cycle of three folders', () => {
    const imports = { 'src/a/1.ts': ['src/b/1.ts'], 'src/b/2.ts': ['src/c/1.ts'], 'src/c/2.ts': ['src/a/2.ts'] }
    expect(importCycles(graph(imports)).map(({ members }) => members)).toEqual([['a', 'b', 'c']])
  })
})

describe('the import cycles check', () => {
  const root = join(import.meta.dirname, '../..')
  const run = (...packages: readonly string[]) =>
    spawnSync(process.execPath, ['-C', '@berth/source', join(root, 'tools/import-cycles.ts'), ...packages], {
      encoding: 'utf8',
    })

  test('finds no cycle in this repository', () => {
    const { status, stdout } = run()
    expect({ status, stdout }).toEqual({ status: 0, stdout: '0 import cycles\n' })
  })

  test('fails on a planted cycle of type imports', () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-cycles-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/a.ts'), `import type { B } from './b.ts'\nexport type A = B\n`)
    writeFileSync(join(folder, 'src/b.ts'), `import type { A } from './a.ts'\nexport type B = A | 1\n`)
    const { status, stdout } = run(relative(root, folder))
    expect(status).toBe(1)
    expect(stdout).toContain('src/a.ts -> src/b.ts\n  src/b.ts -> src/a.ts')
  })
})
