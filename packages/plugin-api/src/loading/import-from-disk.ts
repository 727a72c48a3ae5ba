import vm from 'node:vm'

/**
 * Imports a module by its URL. In a single executable, `import()` in the program finds Node's own modules only, so this
 * uses the loader of the main context there.
 */
export async function importFromDisk(url: string): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ url)
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
    const importInMainContext = vm.runInThisContext('(url) => import(url)', {
      importModuleDynamically,
    }) as typeof importFromDisk
    return await importInMainContext(url)
  }
}
