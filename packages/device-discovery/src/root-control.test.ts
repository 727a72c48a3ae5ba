import { expect, test } from 'vitest'
import { createRootControl, type PathCalls } from './root-control.ts'

/** A file tree: the target of a link, or owner and mode. Other paths are directories of root. */
type Tree = Readonly<Record<string, string | { readonly uid: number; readonly mode: number }>>

function callsOn(tree: Tree): { readonly calls: PathCalls; readonly followed: string[] } {
  const followed: string[] = []
  const calls: PathCalls = {
    async lstat(path) {
      followed.push(path)
      const entry = tree[path]
      const owner = typeof entry === 'object' ? entry : { uid: 0, mode: 0o755 }
      return { ...owner, isSymbolicLink: () => typeof entry === 'string' }
    },
    async readlink(path) {
      const target = tree[path]
      return typeof target === 'string' ? target : ''
    },
  }
  return { calls, followed }
}

const USERS = { uid: 1000, mode: 0o755 }

test.for<{ readonly it: string; readonly tree: Tree; readonly isControlled: boolean }>([
  { it: 'a link of root to a device', tree: { '/dev/by-id/a': '../tty0' }, isControlled: true },
  { it: 'an absolute link', tree: { '/dev/by-id/a': '/dev/tty0' }, isControlled: true },
  {
    it: 'a link in a directory of a user',
    tree: { '/dev/by-id': USERS, '/dev/by-id/a': '../tty0' },
    isControlled: false,
  },
  { it: 'a link below a directory of a user', tree: { '/dev': USERS }, isControlled: false },
  {
    it: 'a link in a directory that everyone can write to',
    tree: { '/dev/by-id': { uid: 0, mode: 0o1777 }, '/dev/by-id/a': '../tty0' },
    isControlled: false,
  },
  {
    it: 'a link in a directory that its group can write to',
    tree: { '/dev/by-id': { uid: 0, mode: 0o775 } },
    isControlled: false,
  },
  {
    it: 'a link of root to a link of a user',
    tree: { '/dev/by-id/a': '/home/me/link', '/home/me': USERS, '/home/me/link': '/dev/tty0' },
    isControlled: false,
  },
  {
    it: 'a directory that is a link to a directory of a user',
    tree: { '/dev/by-id': '/home/me', '/home/me': USERS },
    isControlled: false,
  },
  { it: 'a link that leads to itself', tree: { '/dev/by-id/a': 'a' }, isControlled: false },
])('$it: only root can change its target: $isControlled', async ({ tree, isControlled }) => {
  expect(await createRootControl(callsOn(tree).calls)('/dev/by-id/a')).toBe(isControlled)
})

test('checks a directory once per scan', async () => {
  const { calls, followed } = callsOn({})
  const isControlled = createRootControl(calls)
  for (let i = 0; i < 100; i++) await isControlled(`/dev/by-id/${i}`)
  const owners = followed.filter((path) => path === '/')
  expect(owners).toEqual(['/'])
})
