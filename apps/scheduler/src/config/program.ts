import { basename } from 'node:path'

/** The defaults that depend on the name under which the program is started. */
export interface ProgramDefaults {
  /** Profile of a configuration without profiles. */
  readonly schedulerName: string
  readonly leaseName: string
  /** 0: no HTTPS. */
  readonly securePort: number
  /** Whether the plain HTTP server of --health-address runs when the flag is not given. */
  readonly servesPlainHttp: boolean
}

const scheduler: ProgramDefaults = {
  schedulerName: 'berth-scheduler',
  leaseName: 'berth-scheduler',
  securePort: 0,
  servesPlainHttp: true,
}

/** The defaults of kube-scheduler, so that kubeadm's manifest works with this program. */
const kubeScheduler: ProgramDefaults = {
  schedulerName: 'default-scheduler',
  leaseName: 'kube-scheduler',
  securePort: 10_259,
  servesPlainHttp: false,
}

/**
 * Returns the defaults of the program.
 *
 * @param path - Path of the program: `process.argv[1]`.
 */
export function programDefaults(path: string | undefined): ProgramDefaults {
  return basename(path ?? '') === 'kube-scheduler' ? kubeScheduler : scheduler
}
