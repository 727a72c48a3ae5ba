import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { importRules } from './boundaries/import-rules.ts'
import { runBoundaries, writeFixtureWorkspace } from './boundaries/fixture-workspace.ts'
import type { FixturePackage } from './boundaries/fixture-workspace.ts'
import { workspacePackages } from './boundaries/workspace-packages.ts'
import { importSpecifiers, isTestFile, sourceImports } from './boundaries/source-imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = workspacePackages(root)
const tagByName = new Map(packages.map(({ name, tag }) => [name, tag]))

/** `@berth/process/config` -> `@berth/process`. Undefined for an import from outside this repository. */
const packageOf = (specifier: string) => /^@berth\/[^/]+/.exec(specifier)?.[0]

describe('import rules', () => {
  test('every package has a tag with an import rule', () => {
    expect(packages.length).toBeGreaterThan(12)
    expect(packages.filter(({ tag }) => !Object.hasOwn(importRules, tag))).toEqual([])
  })

  test.for(packages)('$path follows its import rule', ({ path, name, tag }) => {
    const wrong = sourceImports(root, path)
      .filter(({ file }) => !isTestFile(file))
      .filter(({ specifier, isDynamic }) => {
        const imported = packageOf(specifier)
        if (imported === undefined) return false
        const isLazySimulator = name === '@berth/kubectl-berth' && imported === '@berth/simulator' && isDynamic
        return !isLazySimulator && !(importRules[tag] ?? []).includes(tagByName.get(imported) ?? 'unknown')
      })
    expect(wrong).toEqual([])
  })

  test.for(packages)('$path imports test kits only in tests', ({ path }) => {
    const wrong = sourceImports(root, path).filter(
      ({ file, specifier }) =>
        !isTestFile(file) &&
        /^@berth\/.*\/testing$/.test(specifier) &&
        // `kubectl berth plugin test` runs the kit for contributors.
        !(specifier === '@berth/plugin-api/testing' && file.startsWith('apps/kubectl-berth/src/plugin/')),
    )
    expect(wrong).toEqual([])
  })

  test.for(packages.filter(({ tag }) => tag === 'app'))(
    '$path imports first-party plugins only in main.ts',
    ({ path }) => {
      const wrong = sourceImports(root, path).filter(
        ({ file, specifier }) =>
          tagByName.get(packageOf(specifier) ?? '') === 'plugin' &&
          !isTestFile(file) &&
          file !== join(path, 'src/main.ts'),
      )
      expect(wrong).toEqual([])
    },
  )

  test.for(['packages/resources', 'packages/fit-engine'])(
    '%s uses no clock, randomness, process, network or node: module',
    (path) => {
      const imports = sourceImports(root, path).filter(({ file }) => !isTestFile(file))
      expect(imports.length).toBeGreaterThan(0)
      expect(imports.filter(({ specifier }) => specifier.startsWith('node:'))).toEqual([])
      const impure =
        /\b(?:Math\.random|Date\.now|new Date\(\)|performance\.|process\.|console\.|setTimeout|setInterval|fetch\()/
      const files = [...new Set(imports.map(({ file }) => file))]
      const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      expect(files.filter((file) => impure.test(withoutComments(readFileSync(join(root, file), 'utf8'))))).toEqual([])
    },
  )

  test('turbo.json has the same rules', () => {
    const { boundaries } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8')) as {
      boundaries: {
        tags: Record<
          string,
          { dependencies?: { allow?: string[]; deny?: string[] }; dependents?: { allow?: string[] } }
        >
      }
    }
    const tags = Object.keys(importRules)
    const turboRuleOf = (tag: string) => {
      const { allow, deny = [] } = boundaries.tags[tag]?.dependencies ?? {}
      return tags.filter(
        (other) => other !== tag && (allow === undefined ? !deny.includes(other) : allow.includes(other)),
      )
    }
    // `turbo boundaries` also follows the dependencies of dependencies; that a package does not import these directly is
    // checked above and by its package.json.
    const reachableFrom = (tag: string) => {
      const found = new Set(importRules[tag])
      for (const other of found) for (const further of importRules[other] ?? []) found.add(further)
      return tags.filter((other) => found.has(other))
    }
    // An app may import any package, so turbo.json only limits who may import apps: a harness.
    const ruled = tags.filter((tag) => tag !== 'app')
    expect(ruled.map((tag) => [tag, turboRuleOf(tag)])).toEqual(ruled.map((tag) => [tag, reachableFrom(tag)]))
    expect(['harness']).toEqual(expect.arrayContaining(boundaries.tags['app']?.dependents?.allow ?? ['any package']))
  })
})

describe('importSpecifiers', () => {
  test('finds every form of import and ignores similar text', () => {
    const text = `import { a } from 'one'
import type { b } from 'two'
import {
  c,
} from 'three'
export { d } from 'four'
export type { e } from 'five'
import 'six'
const f = await import('seven')
const g = import(/* lazy */ 'eight')
const h = "from 'none'"
// read it from 'nowhere'
`
    expect(importSpecifiers(text).map(({ specifier }) => specifier)).toEqual([
      'one',
      'two',
      'three',
      'four',
      'five',
      'six',
      'seven',
      'eight',
    ])
  })
})

describe('a forbidden import fails the build', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'berth-boundaries-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const types: FixturePackage = { name: 'types', tag: 'types', source: 'export const x = 1\n' }
  const using = (name: string, tag: string, other: string): FixturePackage => ({
    name,
    tag,
    dependencies: [other],
    source: `import { x } from '@berth/${other}'\nexport { x }\n`,
  })

  test('allowed imports pass', async () => {
    writeFixtureWorkspace(root, dir, [
      types,
      using('resources', 'resources', 'types'),
      using('simulator', 'simulator', 'resources'),
    ])
    const { code, output } = await runBoundaries(dir, process.env)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('no issues found') })
  })

  test.for([
    {
      it: 'the simulator imports the engine',
      packages: [types, using('fit-engine', 'fit-engine', 'types'), using('simulator', 'simulator', 'fit-engine')],
      says: 'Package `@berth/fit-engine` found without any tag listed in allowlist for',
    },
    {
      it: 'a plugin imports a package other than the contract',
      packages: [types, using('process', 'process', 'types'), using('mine', 'plugin', 'process')],
      says: 'Package `@berth/process` found without any tag listed in allowlist for',
    },
    {
      it: 'kubelet-api imports another package',
      packages: [types, using('kubelet-api', 'kubelet-api', 'types')],
      says: 'Package `@berth/types` found with tag listed in denylist for',
    },
    {
      it: 'a package imports an app',
      packages: [types, using('scheduler', 'app', 'types'), using('cluster-view', 'cluster-view', 'scheduler')],
      says: '@berth/scheduler` found without any tag listed in allowlist for',
    },
    {
      it: 'an imported package is not a dependency',
      packages: [types, { ...using('fit-engine', 'fit-engine', 'types'), dependencies: [] }],
      says: 'cannot import package `@berth/types` because it is not a dependency',
    },
    {
      it: 'a file reaches into another package',
      packages: [
        types,
        { ...using('fit-engine', 'fit-engine', 'types'), source: "export { x } from '../../types/src/index.ts'\n" },
      ],
      says: 'leaves the package',
    },
  ])('when $it', async ({ packages, says }) => {
    writeFixtureWorkspace(root, dir, packages)
    const { code, output } = await runBoundaries(dir, process.env)
    expect(code).not.toBe(0)
    expect(output.replaceAll(/\s*\|\s*/g, ' ').replaceAll(/\s+/g, ' ')).toContain(says)
  })
})
