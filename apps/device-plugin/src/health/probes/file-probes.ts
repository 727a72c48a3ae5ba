import type { ProbeResult } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { access, constants, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { READ_WITHOUT_WAITING } from '../../sources/read-health-file.ts'
import { errorCode, fillTemplate, sysfsDirectory } from './probe-target.ts'

const HEALTHY: ProbeResult = { health: 'Healthy' }
const unhealthy = (reason: string): ProbeResult => ({ health: 'Unhealthy', reason })
const MAX_VALUE_BYTES = 256

/** Returns the paths that a probe checks: those of the device, or the configured one. */
export function pathsToCheck(template: string | undefined, device: Device): readonly string[] {
  return template === undefined ? (device.paths ?? []) : [fillTemplate(template, device)]
}

/** Returns the directories of the checked paths. */
export function directoriesToWatch(template: string | undefined, devices: readonly Device[]): readonly string[] {
  return [...new Set(devices.flatMap((device) => pathsToCheck(template, device).map((path) => dirname(path))))]
}

/** Checks that paths exist. It does not open them: some drivers act when a device node is opened. */
export async function probeExists(paths: readonly string[]): Promise<ProbeResult> {
  for (const path of paths) {
    try {
      await stat(path)
    } catch (error) {
      const code = errorCode(error)
      return unhealthy(code === 'ENOENT' ? `${path} is missing` : `${path} cannot be found (${code})`)
    }
  }
  return HEALTHY
}

/** Checks that this process may read paths, without opening them. */
export async function probeReadable(paths: readonly string[]): Promise<ProbeResult> {
  for (const path of paths) {
    try {
      await access(path, constants.R_OK)
    } catch (error) {
      return unhealthy(`${path} cannot be read (${errorCode(error)})`)
    }
  }
  return HEALTHY
}

/** The expectation of a sysfs probe. */
export interface ExpectedValue {
  readonly equals?: string | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** Checks the first line of a file. `{sysfs}` in the template is the directory of the device node in `/sys/dev`. */
export async function probeValue(template: string, device: Device, expected: ExpectedValue): Promise<ProbeResult> {
  let file = fillTemplate(template, device)
  if (file.startsWith('{sysfs}')) {
    const [path = ''] = device.paths ?? []
    let directory
    try {
      directory = sysfsDirectory(await stat(path))
    } catch (error) {
      return unhealthy(`${path} cannot be found (${errorCode(error)})`)
    }
    if (directory === undefined) return unhealthy(`${path} is not a device node, so it has no {sysfs}`)
    file = file.replace('{sysfs}', () => directory)
  }
  let value: string
  try {
    await using opened = await open(file, READ_WITHOUT_WAITING)
    const { bytesRead, buffer } = await opened.read(Buffer.alloc(MAX_VALUE_BYTES), 0, MAX_VALUE_BYTES, 0)
    value = buffer.toString('utf8', 0, bytesRead).split('\n')[0]?.trim() ?? ''
  } catch (error) {
    return unhealthy(`${file} cannot be read (${errorCode(error)})`)
  }
  const fault = faultOf(value, expected)
  return fault === undefined ? HEALTHY : unhealthy(`${file} is "${value}", expected ${fault}`)
}

function faultOf(value: string, { equals, min, max }: ExpectedValue): string | undefined {
  if (equals !== undefined && value !== equals) return `"${equals}"`
  if (min === undefined && max === undefined) return undefined
  const number = value === '' ? Number.NaN : Number(value)
  if (Number.isNaN(number)) return 'a number'
  if (min !== undefined && number < min) return `at least ${min}`
  return max !== undefined && number > max ? `at most ${max}` : undefined
}
