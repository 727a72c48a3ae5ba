import { MAX_SOCKET_PATH_BYTES } from '@berth/kubelet-api'
import type { Random } from '@berth/types'
import { createHash } from 'node:crypto'
import { access, constants, readdir, stat, unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
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

/** Start of the names of all sockets that the kubelet calls. */
const SOCKET_PREFIX = 'berth-'
/** Start of the names of claims. The kubelet ignores a socket whose name begins with a dot. */
const CLAIM_PREFIX = '.berth-'

/** Returns whether this is the name of a socket of the plugin: one that the kubelet calls, or a claim. */
export function isSocketName(name: string): boolean {
  return (name.startsWith(SOCKET_PREFIX) || name.startsWith(CLAIM_PREFIX)) && name.endsWith('.sock')
}

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
  return uniquePath(directory, socketPrefix(resourceName), random)
}

function uniquePath(directory: SocketDirectory, prefix: string, random: Random): string {
  const unique = Math.floor(random() * 36 ** 8).toString(36)
  const path = join(directory.path, `${prefix}${unique}.sock`)
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

async function socketPaths(directory: SocketDirectory, prefix = ''): Promise<readonly string[]> {
  const names = await readdir(directory.path)
  return names.filter((name) => name.startsWith(prefix) && isSocketName(name)).map((name) => join(directory.path, name))
}

/**
 * Returns the path of a socket of any resource, or of a claim, that another process serves; undefined if there is none.
 *
 * @param ownClaim - Path of the claim of this process, if it has one.
 */
export async function findServedSocket(directory: SocketDirectory, ownClaim?: string): Promise<string | undefined> {
  for (const path of await socketPaths(directory)) {
    if (path !== ownClaim && isServed(await connectionError(path))) return path
  }
  return undefined
}

/** A socket that shows other processes that this one serves from the directory, also while it has no other socket. */
export interface DirectoryClaim extends AsyncDisposable {
  readonly path: string
}

/** Claims the directory, and deletes the claims of killed processes. Other claims may exist. */
export async function claimDirectory(directory: SocketDirectory, random: Random): Promise<DirectoryClaim> {
  await removeStale(directory, CLAIM_PREFIX)
  const path = uniquePath(directory, CLAIM_PREFIX, random)
  const server = createServer((caller) => caller.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    path,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A live socket of another user (EACCES), or with many callers (EAGAIN), cannot be connected to either. */
function isServed(error: NodeJS.ErrnoException | undefined): boolean {
  return error === undefined || error.code === 'EACCES' || error.code === 'EAGAIN'
}

/** Deletes this resource's sockets that refuse connections, left by a killed process. Returns their paths. */
export function removeStaleSockets(directory: SocketDirectory, resourceName: string): Promise<readonly string[]> {
  return removeStale(directory, socketPrefix(resourceName))
}

async function removeStale(directory: SocketDirectory, prefix: string): Promise<readonly string[]> {
  const removed: string[] = []
  for (const path of await socketPaths(directory, prefix)) {
    if ((await connectionError(path))?.code !== 'ECONNREFUSED') continue
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
