import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { guideBlocks } from '../../guides/guide-blocks.ts'
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

test('the install guide, which is followed beside the files of a release, does not replace a manifest', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/install.md'), 'utf8')
  const written = guideBlocks('install.md', guide).flatMap(({ file }) => file ?? [])
  const manifests = new Set(krewPlugins.map(({ name }) => `${name}.yaml`))
  expect(written.length).toBeGreaterThan(0)
  expect(written.filter((file) => manifests.has(file))).toEqual([])
})
