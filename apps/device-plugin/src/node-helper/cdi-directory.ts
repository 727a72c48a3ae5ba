import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CdiDevice } from '../cdi/cdi-devices.ts'
import { cdiKind } from '../cdi/cdi-names.ts'

/** The first version whose device nodes have a host path. Runtimes refuse files of versions that they do not know. */
const CDI_VERSION = '0.5.0'

/** The CDI files of one owner in a directory that the container runtime reads. Other files are never touched. */
export interface CdiDirectory {
  /** Writes the file of a class, or deletes it if there are no devices. Does nothing if the file is the same. */
  write(className: string, devices: readonly CdiDevice[]): Promise<void>
  /** Deletes all files of the owner. Returns their paths. */
  removeAll(): Promise<readonly string[]>
}

/** Opens the directory, which is created if it is missing. */
export async function openCdiDirectory(directory: string, owner: string): Promise<CdiDirectory> {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const prefix = `${owner}.`

  async function write(className: string, devices: readonly CdiDevice[]): Promise<void> {
    const path = join(directory, `${prefix}${className}.json`)
    if (devices.length === 0) return await rm(path, { force: true })
    const spec = { cdiVersion: CDI_VERSION, kind: cdiKind(className), devices }
    const text = `${JSON.stringify(spec, undefined, 1)}\n`
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return undefined
    // The runtime reads every .json file, also one that is half written.
    const temporary = join(directory, `.${prefix}${className}.tmp`)
    await writeFile(temporary, text, { mode: 0o644, flush: true })
    await rename(temporary, path)
    return undefined
  }

  async function removeAll(): Promise<readonly string[]> {
    const isOwn = (name: string): boolean =>
      (name.startsWith(prefix) && name.endsWith('.json')) || (name.startsWith(`.${prefix}`) && name.endsWith('.tmp'))
    const paths = (await readdir(directory)).filter(isOwn).map((name) => join(directory, name))
    await Promise.all(paths.map((path) => unlink(path)))
    return paths
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Runs calls in their order: a write that the plugin gave up on must not replace the file of a later one. */
  function inOrder<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = last.then(call)
    last = result.catch(() => undefined)
    return result
  }

  return {
    write: (className, devices) => inOrder(() => write(className, devices)),
    removeAll: () => inOrder(removeAll),
  }
}
