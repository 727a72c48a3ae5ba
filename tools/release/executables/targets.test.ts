import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pinnedIntegrity } from './node-binary.ts'
import { hostTarget, targets } from './targets.ts'

const root = join(import.meta.dirname, '../../..')
const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')

describe.for(targets)('$os $arch', ({ nodePackage }) => {
  const name = `${nodePackage}@${process.versions.node}`

  test('has a pinned Node of the version that runs Berth', () => {
    expect(pinnedIntegrity(nodePackage, process.versions.node)).toMatch(/^sha512-[\w+/]+=*$/)
  })

  // The lockfile has no Node for Windows.
  test.runIf(lockfile.includes(`  ${name}:`))('has the Node of the lockfile', () => {
    expect(lockfile).toContain(
      `  ${name}:\n    resolution: {integrity: ${pinnedIntegrity(nodePackage, process.versions.node)}}`,
    )
  })
})

test.for([
  { platform: 'linux', arch: 'x64', found: 'linux/amd64' },
  { platform: 'darwin', arch: 'arm64', found: 'darwin/arm64' },
  { platform: 'win32', arch: 'x64', found: 'windows/amd64' },
  { platform: 'linux', arch: 'riscv64', found: undefined },
] as const)('$platform on $arch is $found', ({ platform, arch, found }) => {
  const target = hostTarget({ platform, arch })
  expect(target && `${target.os}/${target.arch}`).toBe(found)
})
