import { join } from 'node:path'
import { expect, test } from 'vitest'

interface BuildSettings {
  readonly esbuildPlugins: readonly { readonly name: string }[]
}

test('the bundles have the plugins of every bundle of Berth, and their own', async () => {
  // By its path: the settings of builds belong to no package, so their types are not checked here.
  const settings: { readonly default: readonly BuildSettings[] } = await import(
    join(import.meta.dirname, '../tsup.config.ts')
  )
  expect(settings.default).toHaveLength(2)
  for (const { esbuildPlugins } of settings.default)
    expect(esbuildPlugins.map(({ name }) => name)).toEqual([
      'only-used-builtins',
      'english-messages',
      'ascii-durations',
      'plugin-types',
      'page-texts',
      'notices',
    ])
})
