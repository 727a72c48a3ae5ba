import { errorText } from '@berth/text/error-text'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { jsonLinesSink, type AuditOptions } from '@berth/embedded-api-server'
import { SimulatorStartError } from '../simulator-start-error.ts'

/** A file to which audit events are appended. Disposing waits until all of them are written. */
export interface AuditLog extends AsyncDisposable {
  readonly sink: AuditOptions['sink']
}

/** @throws BERTH_SIMULATOR_AUDIT_LOG when the file cannot be written. */
export async function openAuditLog(path: string): Promise<AuditLog> {
  try {
    await (await open(path, 'a', 0o600)).close()
  } catch (cause) {
    const why = errorText(cause)
    throw new SimulatorStartError(`open audit log ${path}: ${why}`, {
      code: 'BERTH_SIMULATOR_AUDIT_LOG',
      cause,
      hint: 'Choose a writable file with --audit-log.',
    })
  }
  const stream = createWriteStream(path, { flags: 'a' })
  return {
    sink: jsonLinesSink((line) => stream.write(line)),
    async [Symbol.asyncDispose]() {
      stream.end()
      await finished(stream)
    },
  }
}
