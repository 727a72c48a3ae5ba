import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { kubernetesVersion } from './kubernetes-version.ts'

const minors = ['1.34', '1.35', '1.36']
const moduleOf = (minor: string): string =>
  readFileSync(join(import.meta.dirname, '..', 'node-image', 'modules', `kubernetes-${minor}`, 'go.mod'), 'utf8')

describe('kubernetesVersion', () => {
  test('takes the patch version from the module, and has a folder of programs for each version', () => {
    const versions = minors.map((minor) => kubernetesVersion(minor))
    for (const [i, { version, ownNodeImage, stockNodeImage }] of versions.entries()) {
      expect(version).toMatch(new RegExp(`^v${minors[i]?.replace('.', String.raw`\.`)}\\.\\d+$`))
      expect([ownNodeImage, stockNodeImage]).toEqual([`berth-kind-node:${version}`, `kindest/node:${version}`])
    }
    expect(new Set(versions.map(({ binDir }) => binDir)).size).toBe(minors.length)
  })

  test('is 1.36 by default', () => {
    expect(kubernetesVersion()).toEqual(kubernetesVersion('1.36'))
  })

  test.for(['1.33', '1.36.3', ''])('refuses %j and names the known versions', (minor) => {
    expect(() => kubernetesVersion(minor)).toThrow(CannotRunError)
    expect(() => kubernetesVersion(minor)).toThrow('known versions are 1.36, 1.35, 1.34')
  })
})

test.for(minors)('the module of %s takes every library of Kubernetes from the same release', (minor) => {
  const { version } = kubernetesVersion(minor)
  const replaced = [...moduleOf(minor).matchAll(/^\s(k8s\.io\/\S+) => (\S+)(?: (\S+))?$/gm)]
  expect(replaced.length).toBeGreaterThan(25)
  const others = replaced.filter(([, path, by, at]) => by !== path || at !== version.replace('v1.', 'v0.'))
  expect(others.map(([line]) => line)).toEqual([])
})
