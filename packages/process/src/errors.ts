import { BerthError } from '@berth/types'
import type { ErrorDescription } from '@berth/types'

/**
 * The configuration, or something that it names, is not usable. `runMain` exits with 2.
 * Apps throw it for what a schema cannot see, such as a certificate file that cannot be read.
 */
export class ConfigError extends BerthError {}

/** A server of this process could not start to listen. */
export class ListenError extends BerthError {}

/** A metric definition breaks the naming rules; a mistake in the code, found at start. */
export class MetricError extends BerthError {}

/** Every code that this package throws or prints. An app lists its own in `src/errors.ts` in the same shape. */
export const processErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_CONFIG_INVALID',
    meaning: 'A flag, an environment variable or the configuration file holds an unknown key or an illegal value.',
    action: 'Correct the keys that the message names; `--help` lists every key.',
  },
  {
    code: 'BERTH_CONFIG_READ',
    meaning: 'The file named by --config cannot be read, or is not one YAML mapping.',
    action: 'Check path and permissions, and the line that the message names.',
  },
  {
    code: 'BERTH_CONFIG_DEFINITION',
    meaning: 'An app defines its own configuration wrongly; a mistake in the code, found at start.',
    action: 'Report it with the message.',
  },
  {
    code: 'BERTH_LISTEN_ADDRESS',
    meaning: 'A listen address is not HOST:PORT.',
    action: 'Write it as 127.0.0.1:9402, [::1]:9402 or :9402.',
  },
  {
    code: 'BERTH_LISTEN_FAILED',
    meaning: 'The address for health and metrics cannot be listened on, mostly because the port is in use.',
    action: 'Choose another --health-address, or stop the process that holds the port.',
  },
  {
    code: 'BERTH_METRIC_NAME',
    meaning: 'A metric is named against the rules; a mistake in the code, found at start.',
    action: 'Report it with the message.',
  },
]
