// Files that the program holds as text, each imported `with { type: "text" }`: what they are is left to the importer.

declare module "*.sh";
