import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nameProblem } from './name-problem.ts'
import { pluginPackage } from './plugin-package.ts'
import { templateKinds } from './template-kinds.ts'

const root = join(import.meta.dirname, '../..')

describe('pluginPackage', () => {
  test.for(templateKinds)('$kind: creates source, test, README and manifest under the new name', (template) => {
    const files = new Map(pluginPackage(root, template, 'quiet-hours').map(({ path, text }) => [path, text]))
    for (const path of ['src/index.ts', 'src/index.test.ts', 'README.md', 'package.json', 'tsconfig.json']) {
      expect([...files.keys()]).toContain(`plugins/quiet-hours/${path}`)
    }
    expect(files.get('plugins/quiet-hours/src/index.ts')).toContain("name: 'quiet-hours'")
    expect(files.get('plugins/quiet-hours/README.md')).toMatch(/^# quiet-hours$/m)
    expect(JSON.parse(files.get('plugins/quiet-hours/package.json') ?? '')).toMatchObject({
      name: '@berth/plugin-quiet-hours',
    })
    const everything = [...files.values()].join('\n')
    expect(everything).not.toContain(template.exampleName)
    expect(everything).not.toContain('../../../')
  })
})

describe('nameProblem', () => {
  test.for(['quiet-hours', 'gpu2', 'a'])('accepts %s', (name) => {
    expect(nameProblem(name)).toBeUndefined()
  })

  test.for(['', 'Quiet', 'quiet_hours', '-a', 'a-', 'a--b', '../x', '1a', 'a'.repeat(51)])('refuses "%s"', (name) => {
    expect(nameProblem(name)).toBeDefined()
  })
})
