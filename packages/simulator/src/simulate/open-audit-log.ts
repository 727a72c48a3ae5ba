import { errorText } from '@berth/text/error-text'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { auditLines, type AuditOptions } from '@berth/embedded-api-server'
import { SimulatorStartError } from '../http/simulator-error.ts'

/** A file that the audit is appended to; disposing waits until all of it is there. */
export interface AuditLog extends AsyncDisposable {
  readonly sink: AuditOptions['sink']
}

/** @throws BERTH_SIMULATOR_AUDIT_LOG where the file cannot be written. */
export async function openAuditLog(path: string): Promise<AuditLog> {
  try {
    await (await open(path, 'a', 0o600)).close()
  } catch (cause) {
    const why = errorText(cause)
    throw new SimulatorStartError(`open audit log ${path}: ${why}`, {
      code: 'BERTH_SIMULATOR_AUDIT_LOG',
      cause,
      hint: 'Name a file with --audit-log that you may write.',
    })
  }
  const stream = createWriteStream(path, { flags: 'a' })
  return {
    sink: auditLines((line) => stream.write(line)),
    async [Symbol.asyncDispose]() {
      stream.end()
      await finished(stream)
    },
  }
}
