import { systemClock } from '@berth/clock'
import { createTestClock } from '@berth/clock/testing'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pathGlobArgs } from './path-glob-args.ts'
import { allocatePaths } from './allocate-paths.ts'
import { nodeCalls } from './inspect-path.ts'
import type { PathDevice } from './path-device.ts'
import { pathGlobSource } from './path-glob.ts'
import { createPathScanner, watchedDirectories } from './scan-paths.ts'

async function tree(...files: string[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'glob-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await mkdir(join(dir, 'by-id'))
  for (const file of files) await writeFile(join(dir, file), '')
  return dir
}
/** Files that a test has just written are old for the scanner. */
const clock = { ...systemClock(), now: () => Date.now() + 60_000 }
const scannerOf = (paths: string[], more: object = {}) =>
  createPathScanner(pathGlobArgs.parse({ paths, ...more }), { clock })
const scan = async (paths: string[], more: object = {}) => (await scannerOf(paths, more)()).devices

describe('createPathScanner', () => {
  test('finds each path that matches a pattern once, in order', async () => {
    const dir = await tree('tty1', 'tty0', 'video0', 'other')
    const found = await scan([`${dir}/tty*`, `${dir}/{video,tty}0`])
    expect(found.map(({ paths }) => paths[0])).toEqual([join(dir, 'tty0'), join(dir, 'tty1'), join(dir, 'video0')])
  })

  test('returns one device for two names of one file, and resolves links', async () => {
    const dir = await tree('tty0')
    await symlink('../tty0', join(dir, 'by-id/usb-A'))
    await symlink('nowhere', join(dir, 'by-id/dangling'))
    const found = await scan([`${dir}/by-id/*`, `${dir}/tty*`], { followOutside: true })
    expect(found.map(({ paths }) => paths)).toEqual([[join(dir, 'by-id/usb-A'), join(dir, 'tty0')]])
  })

  test('returns one device per slot with the same path', async () => {
    const dir = await tree('tty0')
    const found = await scan([`${dir}/tty0`], { slots: 3 })
    expect(new Set(found.map(({ id }) => id)).size).toBe(3)
    expect(new Set(found.map(({ paths }) => paths[0]))).toEqual(new Set([join(dir, 'tty0')]))
  })

  test('detects a device node', async () => {
    expect(await scan(['/dev/null'])).toMatchObject([{ id: 'dev-null', isDeviceNode: true, health: 'Healthy' }])
  })

  test('reads one health file per path', async () => {
    const dir = await tree('tty0', 'tty1', 'tty2')
    await writeFile(join(dir, 'tty0.health'), 'Healthy')
    await writeFile(join(dir, 'tty1.health'), 'Unhealthy: unplugged')
    const found = await scan([`${dir}/tty?`], { healthFile: `${dir}/{name}.health` })
    expect(found.map(({ health, reason }) => reason ?? health)).toEqual([
      'Healthy',
      'unplugged',
      `health file ${dir}/tty2.health is missing`,
    ])
  })

  test.for([
    { it: 'the root of the host', target: () => '/' },
    { it: 'the directory itself', target: () => '.' },
    { it: 'a file beside the directory', target: () => '../tty0' },
  ])('does not follow a link to $it', async ({ target }) => {
    const dir = await tree('tty0')
    const link = join(dir, 'by-id/dongle1')
    await symlink(target(), link)
    const reason = expect.stringMatching(/^.* leads outside .*\/by-id; set followOutside to allow it$/u)
    expect(await scan([`${dir}/by-id/*`])).toMatchObject([{ health: 'Unhealthy', reason, paths: [link, link] }])
    expect(await scan([`${dir}/by-id/*`], { followOutside: true })).toMatchObject([{ health: 'Healthy' }])
  })

  test('hands over a link that only root can change, and the target of any other link', async () => {
    const dir = await tree('tty0', 'by-id/target')
    await symlink('target', join(dir, 'by-id/a'))
    const args = pathGlobArgs.parse({ paths: [`${dir}/by-id/a`] })
    const hostPath = async (uid: number): Promise<unknown> => {
      const owned = async (path: string) => {
        const stats = await lstat(path)
        return { uid, mode: 0o755, isSymbolicLink: () => stats.isSymbolicLink() }
      }
      const { devices } = await createPathScanner(args, { calls: { ...nodeCalls, lstat: owned }, clock })()
      return devices.map((device) => device.hostPath)
    }
    expect(await hostPath(0)).toEqual([join(dir, 'by-id/a')])
    expect(await hostPath(1000)).toEqual([join(dir, 'by-id/target')])
  })

  test('follows links within the directory, and links to device nodes anywhere', async () => {
    const dir = await tree('tty0', 'by-id/target')
    await symlink('target', join(dir, 'by-id/a'))
    await symlink('/dev/null', join(dir, 'by-id/b'))
    await symlink('by-id', join(dir, 'linked'))
    const found = await scan([`${dir}/linked/[ab]`])
    expect(found.map(({ health, isDeviceNode }) => [health, isDeviceNode])).toEqual([
      ['Healthy', false],
      ['Healthy', true],
    ])
  })

  test('reports a looping link as unhealthy and finds the other paths', async () => {
    const dir = await tree('tty0', 'tty2')
    await symlink('tty1', join(dir, 'tty1'))
    const found = await scan([`${dir}/tty*`])
    expect(found.map(({ health, reason }) => reason ?? health)).toEqual([
      'Healthy',
      `${dir}/tty1 cannot be used (ELOOP)`,
      'Healthy',
    ])
  })

  test('drops a device that is gone although a directory whose name its own begins with cannot be read', async () => {
    const dir = await tree()
    for (const name of ['bus', 'bus2']) {
      await mkdir(join(dir, name))
      await writeFile(join(dir, name, 'tty'), '')
    }
    const rescan = scannerOf([`${dir}/bus/*`, `${dir}/bus2/*`])
    await rescan()
    await rm(join(dir, 'bus'), { recursive: true })
    await symlink('bus', join(dir, 'bus'))
    await rm(join(dir, 'bus2/tty'))
    expect((await rescan()).devices.map(({ paths: [path] }) => path)).toEqual([join(dir, 'bus/tty')])
  })

  test('keeps the devices of a directory that cannot be read as unhealthy, and returns the failure', async () => {
    const dir = await tree('tty0', 'by-id/usb-A')
    const rescan = scannerOf([`${dir}/tty*`, `${dir}/by-id/*`])
    const before = await rescan()
    expect(before.devices).toHaveLength(2)
    await rm(join(dir, 'by-id'), { recursive: true })
    await symlink('by-id', join(dir, 'by-id'))
    const { devices: found, failure } = await rescan()
    const reason = `${dir}/by-id cannot be read (ELOOP)`
    expect(found.map((device) => device.reason ?? device.health)).toEqual(['Healthy', reason])
    expect(found.map(({ id }) => id)).toEqual([before.devices[1]?.id, before.devices[0]?.id])
    expect(failure?.message).toBe(reason)
  })

  test('further files do not displace the devices of before when too many match, and the failure is returned', async () => {
    const dir = await tree('f-4', 'f-5')
    const limits = { paths: 3, entries: 100 }
    const rescan = createPathScanner(pathGlobArgs.parse({ paths: [`${dir}/f-*`] }), { clock, limits })
    expect((await rescan()).failure).toBeUndefined()
    for (const name of ['f-1', 'f-2', 'f-3', 'f-6']) await writeFile(join(dir, name), '')
    const { devices: found, failure } = await rescan()
    const names = found.map(({ paths: [path] }) => basename(path))
    expect(names).toEqual(expect.arrayContaining(['f-4', 'f-5']))
    expect(names).toHaveLength(3)
    expect(failure?.message).toBe('more than 3 paths match')
  })

  test('does not list a directory with too many entries, and keeps its devices as unhealthy', async () => {
    const dir = await tree('tty0')
    const limits = { paths: 100, entries: 5 }
    const rescan = createPathScanner(pathGlobArgs.parse({ paths: [`${dir}/tty*`] }), { clock, limits })
    await rescan()
    for (let i = 0; i < 5; i++) await writeFile(join(dir, `other${i}`), '')
    const { devices: found, failure } = await rescan()
    const reason = `${dir} cannot be read (it has more than 5 entries)`
    expect(found).toMatchObject([{ health: 'Unhealthy', reason }])
    expect(failure?.message).toBe(reason)
  })

  test('reports the second of two paths with one container path as unhealthy, and a device that was offered stays first', async () => {
    const dir = await tree('z-tty')
    const more = { containerPath: '/dev/ports/{name}' }
    const paths = [`${dir}/**/?-tty`]
    const rescan = scannerOf(paths, more)
    await rescan()
    await writeFile(join(dir, 'by-id/z-tty'), '')
    const reasons = (devices: readonly PathDevice[]) => devices.map(({ paths: [path], reason }) => [path, reason])
    const [newer, older] = [join(dir, 'by-id/z-tty'), join(dir, 'z-tty')]
    const says = (path: string): string => `${path} has the same container path /dev/ports/z-tty`
    expect(reasons((await rescan()).devices)).toEqual([
      [newer, says(older)],
      [older, undefined],
    ])
    expect(reasons(await scan(paths, more))).toEqual([
      [newer, undefined],
      [older, says(newer)],
    ])
  })

  describe('with files that do not answer', () => {
    const never = new Promise<never>(() => {})
    const reasons = (devices: readonly PathDevice[]) => devices.map(({ paths: [path], reason }) => [path, reason])

    /** Returns a scan in virtual time, in which `stat` of each path in `hung` does not end until its function is called. */
    async function scannerWithHungPaths(names: readonly string[]) {
      const dir = await tree(...names)
      const testClock = createTestClock()
      const hung = new Map<string, Promise<unknown>>()
      const asked: string[] = []
      const stat: typeof nodeCalls.stat = async (path, options) => {
        asked.push(basename(path))
        await hung.get(basename(path))
        return nodeCalls.stat(path, options)
      }
      const args = pathGlobArgs.parse({ paths: [`${dir}/tty*`] })
      const rescan = createPathScanner(args, { clock: testClock, calls: { ...nodeCalls, stat } })
      const scanOnce = async () => {
        asked.length = 0
        const ended = rescan()
        const waitsForCall = async (): Promise<boolean> =>
          (await Promise.race([ended, setTimeout(5, undefined)])) === undefined
        while (await waitsForCall()) testClock.advance(100)
        return (await ended).devices
      }
      return { dir, hung, asked, scanOnce }
    }

    test('one of them is an unhealthy device, is not asked again until its call ended, and holds up no other', async () => {
      const { dir, hung, asked, scanOnce } = await scannerWithHungPaths(['tty0', 'tty1', 'tty2'])
      const paths = ['tty0', 'tty1', 'tty2'].map((name) => join(dir, name))
      expect(reasons(await scanOnce())).toEqual(paths.map((path) => [path, undefined]))
      const call = Promise.withResolvers<void>()
      hung.set('tty1', call.promise)
      const expected = paths.map((path) => [path, path.endsWith('tty1') ? `${path} does not answer` : undefined])
      expect(reasons(await scanOnce())).toEqual(expected)
      expect(asked).toEqual(['tty0', 'tty1', 'tty2'])
      expect(reasons(await scanOnce())).toEqual(expected)
      expect(asked).toEqual(['tty0', 'tty2'])
      hung.delete('tty1')
      call.resolve()
      await setTimeout(20)
      expect(reasons(await scanOnce())).toEqual(paths.map((path) => [path, undefined]))
    })

    test('a second link to a device that does not answer adds no device', async () => {
      const { dir, hung, scanOnce } = await scannerWithHungPaths([])
      for (const name of ['tty0', 'tty1']) {
        await symlink('/dev/null', join(dir, name))
        hung.set(name, Promise.resolve())
      }
      expect(reasons(await scanOnce())).toEqual([[join(dir, 'tty0'), undefined]])
      for (const name of ['tty0', 'tty1']) hung.set(name, never)
      expect(reasons(await scanOnce())).toEqual([[join(dir, 'tty0'), `${join(dir, 'tty0')} does not answer`]])
    })

    test('a device that does not answer for several scans keeps its id when a second link appears', async () => {
      const { dir, hung, scanOnce } = await scannerWithHungPaths([])
      await symlink('/dev/null', join(dir, 'tty1'))
      const [before] = await scanOnce()
      hung.set('tty1', never)
      await scanOnce()
      await symlink('/dev/null', join(dir, 'tty0'))
      const [after, ...others] = await scanOnce()
      expect([after?.id, others]).toEqual([before?.id, []])
    })

    test('calls of earlier scans that still wait count as well', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `tty${String(i).padStart(2, '0')}`)
      const { hung, asked, scanOnce } = await scannerWithHungPaths(names)
      await scanOnce()
      for (const name of names.slice(0, 7)) hung.set(name, never)
      const found = await scanOnce()
      expect(found.filter(({ health }) => health === 'Unhealthy')).toHaveLength(7)
      for (const name of names) hung.set(name, never)
      await scanOnce()
      expect(asked).toHaveLength(1)
    })

    test('no more than eight calls wait, so that other resources have threads', async () => {
      const names = Array.from({ length: 12 }, (_, i) => `tty${String(i).padStart(2, '0')}`)
      const { hung, asked, scanOnce } = await scannerWithHungPaths(names)
      for (const name of names) hung.set(name, never)
      const found = await scanOnce()
      expect(asked).toHaveLength(8)
      expect(found).toHaveLength(12)
      expect(found.every(({ health }) => health === 'Unhealthy')).toBe(true)
      expect(found.at(-1)?.reason).toMatch(/tty11 was not inspected, because 8 other paths do not answer$/)
      await scanOnce()
      expect(asked).toEqual([])
    })
  })

  test('keeps the id of a device when a second link to it appears', async () => {
    const dir = await tree()
    await symlink('/dev/null', join(dir, 'b'))
    const rescan = scannerOf([`${dir}/?`])
    const before = await rescan()
    await symlink('/dev/null', join(dir, 'a'))
    expect(await rescan()).toEqual(before)
  })

  test('inspects an unchanged path with one call, and returns the same device', async () => {
    const dir = await tree()
    const files = Array.from({ length: 300 }, (_, i) => `tty${i}`)
    for (const file of files) await writeFile(join(dir, file), 'Healthy')
    const counts = { stat: 0, realpath: 0, lstat: 0, reads: 0 }
    let monotonicMs = 0
    const rescan = createPathScanner(pathGlobArgs.parse({ paths: [`${dir}/tty*`], healthFile: `${dir}/{name}` }), {
      clock: { ...clock, monotonic: () => monotonicMs },
      calls: {
        ...nodeCalls,
        stat: (path, options) => (counts.stat++, nodeCalls.stat(path, options)),
        realpath: (path) => (counts.realpath++, nodeCalls.realpath(path)),
        lstat: (path) => (counts.lstat++, nodeCalls.lstat(path)),
        async readHealthFile(path, options) {
          const reading = await nodeCalls.readHealthFile(path, options)
          if (reading !== options.last) counts.reads++
          return reading
        },
      },
    })
    const before = (await rescan()).devices
    Object.assign(counts, { stat: 0, realpath: 0, lstat: 0, reads: 0 })
    const after = (await rescan()).devices
    expect(counts).toEqual({ stat: 300, realpath: 0, lstat: 0, reads: 0 })
    expect(after.every((device, i) => device === before[i])).toBe(true)

    await writeFile(join(dir, 'tty7'), 'Unhealthy: hot')
    expect((await rescan()).devices.filter(({ reason }) => reason === 'hot')).toHaveLength(1)
    expect(counts).toMatchObject({ realpath: 2, reads: 1 })
    monotonicMs = 60_000
    await rescan()
    expect(counts.realpath).toBe(602)
  })

  test('notices that a link leads to another file, and that a file became unusable', async () => {
    const dir = await tree('tty0', 'tty1')
    await symlink('tty0', join(dir, 'link'))
    const rescan = scannerOf([`${dir}/link`])
    const target = async () => (await rescan()).devices.map(({ paths: [, real], reason }) => reason ?? real)
    expect(await target()).toEqual([join(dir, 'tty0')])
    await rm(join(dir, 'link'))
    await symlink('tty1', join(dir, 'link'))
    expect(await target()).toEqual([join(dir, 'tty1')])
    await rm(join(dir, 'link'))
    await symlink('link', join(dir, 'link'))
    expect(await target()).toEqual([`${dir}/link cannot be used (ELOOP)`])
  })

  test('returns an empty inventory without matches', async () => {
    expect(await scan(['/nonexistent/*'])).toEqual([])
  })

  test('reports a readable path as healthy with checkReadable', async () => {
    const dir = await tree('tty0')
    expect(await scan([`${dir}/tty0`], { checkReadable: true })).toMatchObject([{ health: 'Healthy' }])
  })
})

describe('watchedDirectories', () => {
  test.for([
    { paths: ['/dev/tty*'], dirs: ['/dev'] },
    { paths: ['/dev/serial/by-id/*', '/dev/null'], dirs: ['/dev', '/dev/serial/by-id'] },
    { paths: ['/*/x'], dirs: ['/'] },
    { paths: ['/dev/x'], healthFile: '/run/health/{name}', dirs: ['/dev', '/run/health'] },
  ])('$paths: $dirs', ({ paths, healthFile, dirs }) => {
    expect(watchedDirectories({ paths, ...(healthFile !== undefined && { healthFile }) })).toEqual(dirs)
  })
})

describe('allocatePaths', () => {
  const device = (path: string, isDeviceNode: boolean, slot = 0): PathDevice => ({
    id: `${path}-${slot}`,
    health: 'Healthy',
    paths: [path, `/real${path}`],
    hostPath: `/real${path}`,
    isDeviceNode,
  })
  const args = (more: object = {}) => pathGlobArgs.parse({ paths: ['/x*'], ...more })

  test('allocates device nodes as device nodes and mounts everything else', () => {
    expect(allocatePaths(args(), [device('/b', false), device('/a', true)])).toEqual({
      deviceNodes: [{ hostPath: '/real/a', containerPath: '/a', permissions: 'rw' }],
      mounts: [{ hostPath: '/real/b', containerPath: '/b', readOnly: true }],
    })
  })

  test('mounts writable only when the permissions say so', () => {
    expect(allocatePaths(args({ permissions: 'rw' }), [device('/b', false)]).mounts).toMatchObject([
      { readOnly: false },
    ])
  })

  test('allocates a path once for two of its slots', () => {
    expect(allocatePaths(args(), [device('/a', true, 0), device('/a', true, 1)]).deviceNodes).toHaveLength(1)
  })

  test('inserts the name of a path as it is, also signs that a replacement reads', () => {
    const chosen = args({ containerPath: '/dev/dongle/{name}/x' })
    const [node] = allocatePaths(chosen, [device("/a$'b$`", true)]).deviceNodes ?? []
    expect(node?.containerPath).toBe("/dev/dongle/a$'b$`/x")
  })

  test('applies containerPath and permissions', () => {
    const chosen = args({ containerPath: '/dev/dongle/{name}', permissions: 'r' })
    expect(allocatePaths(chosen, [device('/a/b', true), device('/c', false)])).toEqual({
      deviceNodes: [{ hostPath: '/real/a/b', containerPath: '/dev/dongle/b', permissions: 'r' }],
      mounts: [{ hostPath: '/real/c', containerPath: '/dev/dongle/c', readOnly: true }],
    })
  })
})

test('passes the contract checks of a device source', async () => {
  const dir = await tree('tty0', 'tty1')
  expect(await runDeviceSource(pathGlobSource, { args: { paths: [`${dir}/tty*`] } })).toHaveLength(2)
})
