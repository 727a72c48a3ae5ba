import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkSocketDirectory, newSocketPath, removeStaleSockets, socketPrefix } from './socket-directory.ts'

const NAME = 'example.com/dongle'
const flag = '--plugins-registry'

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sd-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

describe('checkSocketDirectory', () => {
  test('accepts a writable directory', async () => {
    await expect(checkSocketDirectory({ path: await tempDir(), flag })).resolves.toBeUndefined()
  })

  test.for([
    { it: 'missing', at: 'none', why: 'it does not exist' },
    { it: 'a file', at: 'file', why: 'it is not a directory' },
    { it: 'below a file', at: 'file/x', why: 'ENOTDIR' },
  ])('refuses a directory that is $it, with the path and a hint', async ({ at, why }) => {
    const dir = await tempDir()
    await writeFile(join(dir, 'file'), '')
    await expect(checkSocketDirectory({ path: join(dir, at), flag })).rejects.toMatchObject({
      code: 'BERTH_DEVICE_PLUGIN_SOCKET_DIR',
      message: expect.stringContaining(`use ${join(dir, at)} for the plugin's sockets (${flag})`),
      hint: expect.stringContaining('Mount'),
    })
    await expect(checkSocketDirectory({ path: join(dir, at), flag })).rejects.toThrow(why)
  })
})

describe('newSocketPath', () => {
  test('differs for each call and for each resource', () => {
    const directory = { path: '/run', flag }
    const draws = [0.1, 0.9]
    const paths = draws.map((draw) => newSocketPath(directory, NAME, () => draw))
    expect(new Set(paths).size).toBe(2)
    expect(paths[0]).toMatch(/^\/run\/berth-[0-9a-f]{10}-[0-9a-z]+\.sock$/u)
    expect(socketPrefix('example.com/other')).not.toBe(socketPrefix(NAME))
  })

  test('refuses a path that the kernel would truncate', () => {
    const path = `/${'x'.repeat(80)}`
    expect(() => newSocketPath({ path, flag }, NAME, () => 0.5)).toThrow('a unix socket path may have at most 107')
  })
})

test('removeStaleSockets leaves a socket that it cannot connect to for another reason, such as that of another user', async () => {
  const dir = await tempDir()
  const name = `${socketPrefix(NAME)}loop.sock`
  await symlink(name, join(dir, name))
  expect(await removeStaleSockets({ path: dir, flag }, NAME)).toEqual([])
  expect(await readdir(dir)).toEqual([name])
})

test('removeStaleSockets deletes only sockets of the resource that accept no connections', async () => {
  const dir = await tempDir()
  const prefix = socketPrefix(NAME)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(dir, `${prefix}live.sock`), resolve))
  onTestFinished(() => void server.close())
  for (const name of [`${prefix}dead.sock`, `${prefix}notes.txt`, 'berth-other-dead.sock', 'kubelet.sock']) {
    await writeFile(join(dir, name), '')
  }
  await mkdir(join(dir, 'berth'))
  expect(await removeStaleSockets({ path: dir, flag }, NAME)).toEqual([join(dir, `${prefix}dead.sock`)])
  const left = ['berth', 'berth-other-dead.sock', `${prefix}live.sock`, `${prefix}notes.txt`, 'kubelet.sock']
  expect((await readdir(dir)).sort()).toEqual(left.sort())
})
