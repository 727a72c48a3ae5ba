import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { targets } from '../executables/targets.ts'
import { krewManifest, krewPlugins } from './krew-manifest.ts'

const archives = targets.map((target) => ({
  target,
  url: `https://example.com/${target.os}-${target.arch}.tar.gz`,
  sha256: 'a'.repeat(64),
}))

describe.for(krewPlugins)('the manifest of kubectl $name', (plugin) => {
  const manifest = parse(krewManifest(plugin, '1.2.3', archives))

  test('has the name and the version of the release', () => {
    expect(manifest).toMatchObject({ kind: 'Plugin', metadata: { name: plugin.name }, spec: { version: 'v1.2.3' } })
  })

  test('installs the program under the name of the plugin on each platform', () => {
    const programs = manifest.spec.platforms.map(({ bin, selector }: { bin: string; selector: object }) => [
      bin,
      selector,
    ])
    expect(programs).toEqual(
      targets.map(({ os, arch }) => [
        `kubectl-${plugin.name}${os === 'windows' ? '.exe' : ''}`,
        { matchLabels: { os, arch } },
      ]),
    )
  })

  test('has a short description of one line', () => {
    expect(plugin.shortDescription).toMatch(/^[^\n]{1,60}$/)
  })
})
