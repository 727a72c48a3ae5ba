import { join } from 'node:path'
import type { HostFiles } from '@berth/device-discovery'
import { parse } from 'yaml'
import { z } from 'zod'

// Only what is read here: the runtime checks the rest of the file.
const specSchema = z.object({
  kind: z.string(),
  devices: z
    .array(
      z.object({
        name: z.string(),
        containerEdits: z
          .object({
            deviceNodes: z.array(z.object({ path: z.string(), hostPath: z.string().nullish() })).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
})

/** A device that a CDI file describes. */
export interface CdiDevice {
  readonly name: string
  /** Device nodes of the host that are the device's own, sorted. */
  readonly nodes: readonly string[]
  /** Why the container runtime refuses the name. */
  readonly problem?: string
}

/** The devices that the CDI files describe. */
export interface CdiDevices {
  readonly devices: readonly CdiDevice[]
  /** Why files cannot be used. */
  readonly problems: readonly string[]
}

/**
 * Reads the devices of a kind from the CDI files in the directories, as the container runtime does: a name in a later
 * directory takes precedence, and a name that two files of one directory describe is refused.
 */
export async function readCdiDevices(
  kind: string,
  directories: readonly string[],
  host: HostFiles,
): Promise<CdiDevices> {
  const byName = new Map<string, CdiDevice>()
  const problems: string[] = []
  for (const directory of directories) {
    const fileByName = new Map<string, string>()
    const files = (await host.names(directory)).filter((name) => /\.(?:json|yaml)$/.test(name))
    for (const file of files.map((name) => join(directory, name))) {
      const found = await readSpec(file, host)
      if (typeof found === 'string') problems.push(found)
      else if (found.kind === kind) {
        for (const device of found.devices) {
          const first = fileByName.get(device.name)
          fileByName.set(device.name, first ?? file)
          const problem = `${first ?? ''} and ${file} both describe ${kind}=${device.name}`
          byName.set(device.name, first === undefined ? device : { ...device, problem })
        }
      }
    }
  }
  return { devices: [...byName.values()], problems }
}

/** Returns the kind and the devices of a file, or why it cannot be used. */
async function readSpec(
  file: string,
  host: HostFiles,
): Promise<string | { readonly kind: string; readonly devices: readonly CdiDevice[] }> {
  const text = await host.text(file)
  if (text === undefined) return `${file} cannot be read`
  let content: unknown
  try {
    // YAML includes JSON.
    content = parse(text)
  } catch {
    return `${file} is neither JSON nor YAML`
  }
  const { data } = specSchema.safeParse(content)
  if (data === undefined) return `${file} is not a CDI file`
  const devices = (data.devices ?? []).map(({ name, containerEdits }) => ({
    name,
    nodes: (containerEdits?.deviceNodes ?? []).map(({ path, hostPath }) => hostPath ?? path).toSorted(),
  }))
  return { kind: data.kind, devices }
}
