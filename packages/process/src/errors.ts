import { BerthError } from '@berth/types'
import type { ErrorDescription } from '@berth/types'

/**
 * The configuration, or something that it names, is not usable. `runMain` exits with 2. Apps throw it for what a schema
 * cannot check, such as a certificate file that cannot be read.
 */
export class ConfigError extends BerthError {}

/** A server of this process cannot listen. */
export class ListenError extends BerthError {}

/** A metric definition violates the naming rules: a defect that is found at start. */
export class MetricError extends BerthError {}

/** Error codes that this package throws or prints. An app lists its own codes in `src/errors.ts`. */
export const processErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_CONFIG_INVALID',
    meaning: 'A flag, an environment variable or the configuration file has an unknown key or an invalid value.',
    action: 'Fix the keys that the message names. `--help` lists all keys.',
  },
  {
    code: 'BERTH_CONFIG_READ',
    meaning: 'The file named by --config cannot be read, or is not one YAML mapping.',
    action: 'Check the path, its permissions and the line that the message names.',
  },
  {
    code: 'BERTH_CONFIG_DEFINITION',
    meaning: 'An app defines its configuration incorrectly: a defect that is found at start.',
    action: 'Report the message.',
  },
  {
    code: 'BERTH_LISTEN_ADDRESS',
    meaning: 'A listen address is not HOST:PORT.',
    action: 'Write it as 127.0.0.1:9402, [::1]:9402 or :9402.',
  },
  {
    code: 'BERTH_LISTEN_FAILED',
    meaning: 'The server for health and metrics cannot listen on its address, usually because the port is in use.',
    action: 'Choose another --health-address, or stop the process that uses the port.',
  },
  {
    code: 'BERTH_METRIC_NAME',
    meaning: 'A metric violates the naming rules: a defect that is found at start.',
    action: 'Report the message.',
  },
]
