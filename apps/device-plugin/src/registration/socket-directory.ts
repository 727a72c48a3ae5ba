import { MAX_SOCKET_PATH_BYTES } from '@berth/kubelet-api'
import type { Random } from '@berth/types'
import { createHash } from 'node:crypto'
import { access, constants, readdir, stat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PluginSocketError, SocketDirectoryError } from '../errors.ts'

/** The directory of the plugin's sockets, with its flag for messages. */
export interface SocketDirectory {
  readonly path: string
  /** `--plugins-registry` or `--device-plugin-dir`. */
  readonly flag: string
}

/**
 * Checks that sockets can be created in the directory. The directory is never created, because a directory that the
 * kubelet does not watch would look like success.
 *
 * @throws SocketDirectoryError BERTH_DEVICE_PLUGIN_SOCKET_DIR
 */
export async function checkSocketDirectory({ path, flag }: SocketDirectory): Promise<void> {
  const refuse = (reason: string, cause?: unknown): SocketDirectoryError =>
    new SocketDirectoryError(`use ${path} for the plugin's sockets (${flag}): ${reason}`, {
      code: 'BERTH_DEVICE_PLUGIN_SOCKET_DIR',
      ...(cause !== undefined && { cause }),
      hint: 'Mount that host directory into the container, writable for this user, or set another directory with the flag.',
    })
  try {
    if (!(await stat(path)).isDirectory()) throw refuse('it is not a directory')
    await access(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof SocketDirectoryError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reasons = new Map([
      ['ENOENT', 'it does not exist'],
      ['EACCES', 'this user cannot write to it'],
      ['EROFS', 'it is mounted read-only'],
    ])
    throw refuse(reasons.get(code ?? '') ?? message, error)
  }
}

/**
 * Returns whether the directory was deleted. The mount of a deleted directory stays in a container, but nothing can be
 * created in it until the container starts again.
 */
export async function isDeleted({ path }: SocketDirectory): Promise<boolean> {
  try {
    return (await stat(path)).nlink === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Start of the names of all sockets of the plugin. */
const SOCKET_PREFIX = 'berth-'

/** Returns the prefix of a resource's socket names. */
export function socketPrefix(resourceName: string): string {
  return `${SOCKET_PREFIX}${createHash('sha256').update(resourceName).digest('hex').slice(0, 10)}-`
}

/**
 * Returns a new socket path for one start of one server. A path is never reused, because a server that closes deletes
 * its path even if another server listens there.
 *
 * @throws PluginSocketError BERTH_DEVICE_PLUGIN_SOCKET_PATH
 */
export function newSocketPath(directory: SocketDirectory, resourceName: string, random: Random): string {
  const unique = Math.floor(random() * 36 ** 8).toString(36)
  const path = join(directory.path, `${socketPrefix(resourceName)}${unique}.sock`)
  const bytes = Buffer.byteLength(path)
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path
  throw new PluginSocketError(
    `listen on ${path}: the path has ${bytes} bytes, and a unix socket path may have at most ${MAX_SOCKET_PATH_BYTES}`,
    {
      code: 'BERTH_DEVICE_PLUGIN_SOCKET_PATH',
      hint: `Set a shorter directory with ${directory.flag}.`,
    },
  )
}

async function socketPaths(directory: SocketDirectory, prefix: string): Promise<readonly string[]> {
  const names = await readdir(directory.path)
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith('.sock'))
    .map((name) => join(directory.path, name))
}

/** Returns the path of a socket of any resource that a process serves; undefined if there is none. */
export async function findServedSocket(directory: SocketDirectory): Promise<string | undefined> {
  for (const path of await socketPaths(directory, SOCKET_PREFIX)) {
    if (isServed(await connectionError(path))) return path
  }
  return undefined
}

/** A live socket of another user (EACCES), or with many callers (EAGAIN), cannot be connected to either. */
function isServed(error: NodeJS.ErrnoException | undefined): boolean {
  return error?.code !== 'ECONNREFUSED' && error?.code !== 'ENOENT'
}

/** Deletes this resource's sockets that refuse connections, left by a killed process. Returns their paths. */
export async function removeStaleSockets(directory: SocketDirectory, resourceName: string): Promise<readonly string[]> {
  const removed: string[] = []
  for (const path of await socketPaths(directory, socketPrefix(resourceName))) {
    if (isServed(await connectionError(path))) continue
    try {
      await unlink(path)
      removed.push(path)
    } catch (error) {
      // The kubelet or another plugin process already deleted it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return removed
}

/** Returns the error of a connection attempt, or undefined when the connection was accepted. */
export function connectionError(path: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', resolve)
  })
}
