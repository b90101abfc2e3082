// Declares files that the program holds as text, each imported `with { type: "text" }`. The importer knows their
// format.

declare module "*.sh";
