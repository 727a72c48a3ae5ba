import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { workspacePackages } from './boundaries/workspace-packages.ts'

const root = join(import.meta.dirname, '..')
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'PRINCIPLES.md']

/** Returns the files and folders that a page names, as links or as code spans that start with a top-level folder. */
function namedPaths(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path)
  const spans = [...text.matchAll(/`((?:apps|packages|plugins|examples|tools|e2e|bench|docs|charts)\/[\w./-]+)`/g)]
  // NAME and APP are placeholders in instructions.
  return [...links, ...spans.map(([, path = '']) => path)].filter((path) => !/\b(?:NAME|APP)\b/.test(path))
}

describe('paths in the documentation', () => {
  test.for(pages)('%s names only files and folders that exist', (page) => {
    const paths = namedPaths(readFileSync(join(root, page), 'utf8'))
    expect(paths.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([])
  })

  test('finds links and code spans, including those of missing files', () => {
    expect(namedPaths('see [x](docs/x.md) and `apps/none/src/none.ts`')).toEqual(['docs/x.md', 'apps/none/src/none.ts'])
  })
})

describe('ARCHITECTURE.md', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(text) ?? []
  const [, table = ''] = /\n## Packages\n(.*?)\n## /s.exec(text) ?? []
  const packages = workspacePackages(root).map(({ path }) => ({ path, folder: dirname(path), name: basename(path) }))
  const names = (page: string, name: string): boolean => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(page)

  test('draws every app and every package', () => {
    const drawn = packages.filter(({ folder }) => folder === 'apps' || folder === 'packages')
    expect(drawn.length).toBeGreaterThan(20)
    expect(drawn.filter(({ name }) => !names(picture, name))).toEqual([])
  })

  test('lists every package and every plugin', () => {
    const listed = packages.filter(({ folder }) => folder !== 'apps')
    expect(listed.filter(({ path, folder, name }) => !names(table, folder === 'packages' ? path : name))).toEqual([])
  })
})
