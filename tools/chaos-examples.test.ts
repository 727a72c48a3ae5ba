import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadConfig } from '@berth/process/config'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readCatalogues } from './generate/catalogues.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const example = (name: string) => join(root, 'examples/chaos', name)
const document = (name: string): unknown => parse(readFileSync(example(name), 'utf8'))

interface ChaosPlugin {
  readonly name: string
  readonly argsSchema: { safeParse(args: unknown): { readonly success: boolean } }
}
let plugins: readonly ChaosPlugin[] = []
beforeAll(async () => {
  const url = pathToFileURL(join(root, 'plugins/chaos/src/index.ts')).href
  plugins = ((await import(/* @vite-ignore */ url)) as { readonly plugins: readonly ChaosPlugin[] }).plugins
})

describe('examples/chaos', () => {
  test('extender.yaml is a configuration of the extender, with plugins that exist and take its arguments', async () => {
    const { config } = (await readCatalogues(root)).find(({ packagePath }) => packagePath === 'apps/extender') ?? {}
    if (config === undefined) throw new Error('the extender has no configuration')
    const loaded = loadConfig(config, { argv: ['--config', example('extender.yaml')], env: {} })
    expect(loaded).toMatchObject({ kind: 'config' })
    const entries = (document('extender.yaml') as { readonly plugins: { name: string; args?: unknown }[] }).plugins
    expect(entries.map(({ name }) => name)).toEqual(['chaos-coin-flip', 'chaos-dice'])
    for (const { name, args = {} } of entries) {
      expect(plugins.find((plugin) => plugin.name === name)?.argsSchema.safeParse(args).success).toBe(true)
    }
  })

  test('scheduler.yaml enables a plugin that exists, for the pods of pod.yaml', () => {
    expect(document('scheduler.yaml')).toMatchObject({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      profiles: [
        {
          schedulerName: (document('pod.yaml') as { spec: { schedulerName: string } }).spec.schedulerName,
          plugins: { score: { enabled: [{ name: 'chaos-random-score', weight: 1 }], disabled: [{ name: '*' }] } },
        },
      ],
    })
    expect(plugins.map(({ name }) => name)).toContain('chaos-random-score')
  })
})
