import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeHostTree } from '../testing/host-tree.ts'
import { hostFiles } from './host-files.ts'

async function tree(lines: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'host-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  writeHostTree(root, lines)
  return root
}

test('reads texts, names and links by the paths of the host', async () => {
  const root = await tree(`
/sys/bus/pci/devices/b -> ../../../devices/b
/sys/bus/pci/devices/a -> ../../../devices/a
/sys/devices/a/vendor = 0x1002
/sys/devices/b/vendor = 0x10de
`)
  const host = hostFiles(root)
  expect(await host.names('/sys/bus/pci/devices')).toEqual(['a', 'b'])
  expect(await host.real('/sys/bus/pci/devices/b')).toBe('/sys/devices/b')
  expect(await host.text('/sys/bus/pci/devices/b/vendor')).toBe('0x10de')
  expect(host.locate('/sys/devices')).toBe(join(root, 'sys/devices'))
})

test('treats what is missing as absent, and refuses to leave the root', async () => {
  const host = hostFiles(await tree(`/dev/out -> /usr\n/dev/in = text`))
  expect(await host.text('/dev/none')).toBeUndefined()
  expect(await host.names('/none')).toEqual([])
  expect(await host.names('/dev/in')).toEqual([])
  expect(await host.real('/dev/none')).toBeUndefined()
  expect(await host.real('/dev/out')).toBeUndefined()
  expect([await host.exists('/dev/in'), await host.exists('/dev/none')]).toEqual([true, false])
})

test('follows a link to the root that was made after the first look', async () => {
  const target = await tree('/dev/in = text')
  const root = `${target}-link`
  const host = hostFiles(root)
  expect(await host.real('/dev/in')).toBeUndefined()
  await symlink(target, root)
  onTestFinished(() => rm(root))
  expect(await host.real('/dev/in')).toBe('/dev/in')
})

test('reports a directory that cannot be read', async () => {
  const host = hostFiles(await tree('/dev/loop -> loop'))
  await expect(host.names('/dev/loop')).rejects.toThrow('ELOOP')
})

test('reads the root of this machine', async () => {
  expect(await hostFiles('/').real('/dev/../dev/null')).toBe('/dev/null')
})
