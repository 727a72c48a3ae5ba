import type { ProbeResult } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import type { Probe } from './probe.ts'
import type { ProbeConfig } from './probe-config.ts'
import { directoriesToWatch, pathsToCheck, probeExists, probeReadable, probeValue } from './probes/file-probes.ts'
import { probeCommand, probeScript } from './probes/program-probes.ts'
import { probeTcp } from './probes/tcp-probe.ts'

const FAILURES_OF_FILES = 1
const FAILURES_OF_PROGRAMS = 3

/** Creates the probes of a resource. */
export function createProbes(configs: readonly ProbeConfig[]): readonly Probe[] {
  return configs.map((config) => {
    const isFile = config.type === 'exists' || config.type === 'readable' || config.type === 'sysfs'
    return {
      name: config.type,
      intervalMs: config.intervalSeconds * 1000,
      timeoutMs: config.timeoutSeconds * 1000,
      thresholds: {
        failures: config.failureThreshold ?? (isFile ? FAILURES_OF_FILES : FAILURES_OF_PROGRAMS),
        successes: config.successThreshold,
        dampingMs: config.flapDampingSeconds * 1000,
      },
      onFailure: config.onFailure,
      run: (device, signal) => runProbe(config, device, signal),
      // Files of sysfs change without an event.
      watchedDirectories: (devices) =>
        config.type === 'exists' || config.type === 'readable' ? directoriesToWatch(config.path, devices) : [],
    }
  })
}

function runProbe(config: ProbeConfig, device: Device, signal: AbortSignal): Promise<ProbeResult> {
  switch (config.type) {
    case 'exists': {
      return probeExists(pathsToCheck(config.path, device))
    }
    case 'readable': {
      return probeReadable(pathsToCheck(config.path, device))
    }
    case 'sysfs': {
      return probeValue(config.path, device, config)
    }
    case 'command': {
      return probeCommand(config.command, device, signal)
    }
    case 'script': {
      return probeScript(config.script, device, signal)
    }
    case 'tcp': {
      return probeTcp(config.host, config.port, signal)
    }
  }
}
