import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Credentials that a request sends to a server, and the authorities with which it verifies the server. */
export interface Credentials {
  /** Value of the header Authorization. */
  readonly authorization?: string
  /** PEM of the authorities to trust instead of the public ones. */
  readonly ca?: string
  /** PEM of the client certificate and its key. */
  readonly cert?: string
  readonly key?: string
}

/**
 * Reads the files of a mounted Secret: `token`, or `username` and `password`; `ca.crt`; `tls.crt` and `tls.key`. They are
 * read for each request, because the kubelet replaces them when the Secret changes.
 *
 * @throws Error when the directory has none of them, or only one file of a pair.
 */
export async function readCredentials(directory: string | undefined): Promise<Credentials> {
  if (directory === undefined) return {}
  const names = ['token', 'username', 'password', 'ca.crt', 'tls.crt', 'tls.key'] as const
  const texts = await Promise.all(names.map((name) => readOptional(join(directory, name))))
  const [token, username, password, ca, cert, key] = texts
  if (texts.every((text) => text === undefined)) {
    throw new Error(`no credentials in ${directory}: expected one of the files ${names.join(', ')}`)
  }
  for (const [one, other, pair] of [
    [username, password, 'username and password'],
    [cert, key, 'tls.crt and tls.key'],
  ]) {
    if ((one === undefined) !== (other === undefined)) throw new Error(`${directory} has only one of ${pair}`)
  }
  return {
    ...(username !== undefined && password !== undefined && { authorization: basic(username.trim(), password.trim()) }),
    // A token takes precedence over a user.
    ...(token !== undefined && { authorization: `Bearer ${token.trim()}` }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
