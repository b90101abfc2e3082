// Keys of administrators: programs elsewhere act by them over HTTP. They are made on rollcall's own host alone.

export const ADMIN_SCOPES = ["read", "admin"] as const;

/** `read` looks at everything; `admin` does everything but what the host alone does. */
export type AdminScope = (typeof ADMIN_SCOPES)[number];

export type AdminKey = Readonly<{ id: number; label: string | null; scope: AdminScope }>;

export const nameOfAdminKey = ({ id, label }: Pick<AdminKey, "id" | "label">): string =>
  label === null ? `admin key ${id}` : `${label} (admin key ${id})`;
