import { runProgram } from './run-program.ts'

/**
 * Writes the contents of a folder to a tar file that depends only on names, modes and contents: sorted, owned by root, with
 * one modification time. Needs GNU tar.
 */
export async function tarFolder(folder: string, file: string, epochSeconds: number): Promise<void> {
  const sameForAll = ['--sort=name', `--mtime=@${epochSeconds}`, '--owner=0', '--group=0', '--numeric-owner']
  await runProgram('tar', ['--create', '--format=ustar', ...sameForAll, '--file', file, '--directory', folder, '.'])
}

/** Compresses a file to `FILE.gz` without its name and time, and removes it. */
export async function gzipFile(file: string): Promise<string> {
  await runProgram('gzip', ['--no-name', '--force', file])
  return `${file}.gz`
}
