import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CdiDevice } from '../cdi/cdi-devices.ts'
import { openCdiDirectory } from './cdi-directory.ts'

const dongle = (hostPath: string): CdiDevice => ({
  name: 'a',
  containerEdits: { deviceNodes: [{ path: '/dev/dongle', hostPath, permissions: 'rw' }] },
})

async function setUp() {
  const parent = await mkdtemp(join(tmpdir(), 'cdi-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  const directory = join(parent, 'cdi')
  return { directory, cdi: await openCdiDirectory(directory, 'berth-1') }
}

test('writes one file per class, and deletes it with its last device', async () => {
  const { directory, cdi } = await setUp()
  await cdi.write('dongle', [dongle('/dev/ttyUSB0')])
  expect(await readdir(directory)).toEqual(['berth-1.dongle.json'])
  expect(JSON.parse(await readFile(join(directory, 'berth-1.dongle.json'), 'utf8'))).toEqual({
    cdiVersion: '0.5.0',
    kind: 'berth.dev/dongle',
    devices: [dongle('/dev/ttyUSB0')],
  })
  await cdi.write('dongle', [])
  expect(await readdir(directory)).toEqual([])
})

test('replaces the file in one step, and leaves an unchanged file alone', async () => {
  const { directory, cdi } = await setUp()
  const path = join(directory, 'berth-1.dongle.json')
  await cdi.write('dongle', [dongle('/dev/ttyUSB0')])
  const before = await stat(path)
  await cdi.write('dongle', [dongle('/dev/ttyUSB0')])
  expect((await stat(path)).ino).toBe(before.ino)
  await cdi.write('dongle', [dongle('/dev/ttyUSB1')])
  // Another file was renamed to this name, so no reader saw a part of it.
  expect((await stat(path)).ino).not.toBe(before.ino)
  expect(await readdir(directory)).toEqual(['berth-1.dongle.json'])
})

test('a write that fails leaves the old file', async () => {
  const { directory, cdi } = await setUp()
  await cdi.write('dongle', [dongle('/dev/ttyUSB0')])
  const before = await readFile(join(directory, 'berth-1.dongle.json'), 'utf8')
  await mkdir(join(directory, '.berth-1.dongle.tmp'))
  await expect(cdi.write('dongle', [dongle('/dev/ttyUSB1')])).rejects.toThrow('EISDIR')
  expect(await readFile(join(directory, 'berth-1.dongle.json'), 'utf8')).toBe(before)
})

test('removes the files of its owner, also half written ones, and no others', async () => {
  const { directory, cdi } = await setUp()
  await cdi.write('dongle', [dongle('/dev/a')])
  await cdi.write('camera', [dongle('/dev/b')])
  for (const name of ['.berth-1.seat.tmp', 'berth-12.dongle.json', 'nvidia.yaml'])
    await writeFile(join(directory, name), '')
  expect((await cdi.removeAll()).length).toBe(3)
  expect((await readdir(directory)).toSorted()).toEqual(['berth-12.dongle.json', 'nvidia.yaml'])
})

test('calls at the same time run one after the other: the last list stays, and a removal leaves nothing', async () => {
  const { directory, cdi } = await setUp()
  const lists = Array.from({ length: 20 }, (_, i) => Array.from({ length: 400 }, () => dongle(`/dev/ttyUSB${i}`)))
  await Promise.all(lists.map((devices) => cdi.write('dongle', devices)))
  const { devices } = JSON.parse(await readFile(join(directory, 'berth-1.dongle.json'), 'utf8')) as { devices: unknown }
  expect(devices).toEqual(lists.at(-1))
  await Promise.all([...lists.map((each) => cdi.write('dongle', each)), cdi.removeAll()])
  expect(await readdir(directory)).toEqual([])
})
