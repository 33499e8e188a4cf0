await null;
count();
