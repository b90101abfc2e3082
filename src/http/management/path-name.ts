// The name of an operation as part of a path: `monitor.pause`.

export const pathNameOf = (name: string): string => name.replaceAll(" ", ".");

export const nameIn = (pathName: string): string => pathName.replaceAll(".", " ");
