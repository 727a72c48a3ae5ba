import * as debian from '@berth/tools/debian/debian-program'
import { errorText } from '@berth/text/error-text'
import { CannotRunError } from './cannot-run.ts'

/**
 * Returns the path of a program of a Debian package, as `debianProgram` of tools does.
 *
 * @throws CannotRunError that says what to install
 */
export async function debianProgram(packageName: string, program: string): Promise<string> {
  return await debian.debianProgram(packageName, program).catch(cannotRun)
}

/**
 * Returns the path of a folder with a Debian package and its dependencies, as `unpackedWithDependencies` of tools does.
 *
 * @throws CannotRunError that says what to install
 */
export async function unpackedWithDependencies(packageName: string): Promise<string> {
  return await debian.unpackedWithDependencies(packageName).catch(cannotRun)
}

function cannotRun(cause: unknown): never {
  throw new CannotRunError(errorText(cause), { cause })
}
