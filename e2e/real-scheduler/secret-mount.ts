import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject } from '@berth/types'

/** A Secret of an API server. */
export interface Secret extends KubernetesObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

export const secretRef = { ...resourceRefs.configMaps, plural: 'secrets', kind: 'Secret' } as const

const FILES = ['ca.crt', 'tls.crt', 'tls.key'] as const
const INTERVAL_MS = 200

/** Returns the data of a Secret as text; undefined if it does not exist. */
export async function secretData(
  client: ApiClient,
  target: { readonly namespace: string; readonly name: string },
): Promise<Readonly<Record<string, string>> | undefined> {
  const found = await client.find<Secret>(secretRef, target)
  const data = Object.entries(found?.data ?? {})
  return found && Object.fromEntries(data.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
}

/** Creates a Secret with a certificate, or replaces its data. */
export async function putSecret(
  client: ApiClient,
  target: { readonly namespace: string; readonly name: string },
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  const found = await client.find<Secret>(secretRef, target)
  if (found === undefined) {
    await client.create<Secret>(secretRef, { metadata: target, type: 'kubernetes.io/tls', data: encoded })
  } else await client.update<Secret>(secretRef, { ...found, data: encoded })
}

/**
 * Copies a Secret with a certificate into the files of a folder, as a kubelet does: whenever it changes, and all files at once through a
 * symbolic link. Waits until the Secret exists. Disposing ends it.
 */
export async function mountSecret(
  client: ApiClient,
  target: { readonly namespace: string; readonly name: string },
  dir: string,
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  let version: string | undefined
  const copy = async (): Promise<true | undefined> => {
    const found = await client.find<Secret>(secretRef, target)
    // A kubelet leaves the files as they are when a Secret is deleted.
    if (found === undefined || found.metadata?.resourceVersion === version) return undefined
    version = found.metadata?.resourceVersion
    replaceFiles(dir, `..${version}`, found.data ?? {})
    return true
  }
  mkdirSync(dir, { recursive: true })
  await eventually(copy, { what: `Secret ${target.name}`, timeoutMs: 60_000, signal: stop.signal })
  const loop = (async () => {
    while (!stop.signal.aborted) {
      // The next attempt follows soon.
      await copy().catch(() => undefined)
      await pause(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await loop
    },
  }
}

function replaceFiles(dir: string, folder: string, data: Readonly<Record<string, string>>): void {
  mkdirSync(join(dir, folder))
  for (const name of FILES) writeFileSync(join(dir, folder, name), Buffer.from(data[name] ?? '', 'base64'))
  rmSync(join(dir, '..next'), { force: true })
  symlinkSync(folder, join(dir, '..next'))
  renameSync(join(dir, '..next'), join(dir, '..data'))
  for (const name of FILES) if (!existsSync(join(dir, name))) symlinkSync(join('..data', name), join(dir, name))
}
